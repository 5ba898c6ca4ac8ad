// β-reduction of reads of gens; see Substitute.h.
#include "passes/Substitute.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

void moac::substituteReads(GenOp gen) {
  for (Operation *user : llvm::make_early_inc_range(gen.getResult().getUsers())) {
    auto psi = cast<PsiOp>(user);
    OpBuilder b(psi);
    IRMapping map;
    for (auto [index, subscript] : llvm::zip(gen.entry().getArguments(), psi.getSubscripts()))
      map.map(index, subscript);
    for (Operation &op : gen.entry().without_terminator())
      b.clone(op, map);
    psi.getResult().replaceAllUsesWith(map.lookupOrDefault(gen.yielded()));
    psi.erase();
  }
  gen.erase();
}
