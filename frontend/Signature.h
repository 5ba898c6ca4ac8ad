// What a kernel's head says: symbols and where they get their values, extents as algebra,
// conditions at entry.
//
// Signatures of all files are read before any body, so that a call finds its callee wherever it
// stands. Nothing here needs MLIR.
#ifndef MOAC_FRONTEND_SIGNATURE_H
#define MOAC_FRONTEND_SIGNATURE_H

#include "frontend/Extents.h"

#include <map>
#include <set>

namespace moac::sema {

/// A symbol and what binds it: a scalar parameter, or else axis `axis` of parameter `param`.
struct SymbolInfo {
  std::string name;
  SourceRange range; ///< first appearance
  unsigned param = 0;
  std::optional<unsigned> axis; ///< nothing: the scalar parameter itself
};

struct ParamInfo {
  const ast::Param *ast = nullptr;
  std::vector<shape::Expr> extents;
  bool isSymbol = false; ///< an i64 scalar that is used as a symbol

  bool isArray() const { return !ast->extents.empty(); }
  const std::string &name() const { return ast->name.text; }
};

struct KernelInfo {
  const ast::Kernel *ast = nullptr;
  bool valid = true; ///< false: a message was given, its body is not analysed
  std::vector<ParamInfo> params, results;
  std::vector<SymbolInfo> symbols; ///< in order of first appearance, the order of the C interface
  std::vector<ExtentNeed> needs;   ///< of all extents of the head

  const std::string &name() const { return ast->name.text; }
  const SymbolInfo *symbol(std::string_view name) const;
  const ParamInfo *param(std::string_view name) const;
};

/// The named items of all files: one namespace.
struct Items {
  std::map<std::string, KernelInfo, std::less<>> kernels;
  std::map<std::string, const ast::Fn *, std::less<>> fns;
  std::set<std::string, std::less<>> broken; ///< items that could not be read
  std::vector<std::string> names() const;
  /// Items and the functions of the language, for did-you-mean.
  std::vector<std::string> callables() const;
};

/// Collects the items and reads the heads. Reports clashes of names, malformed heads, what is not
/// built yet.
Items collectItems(const std::vector<ast::File> &files, Diagnostics &diags);

/// Reads one head; `extra` names the i64 scalars that are symbols because the body uses them in
/// extents.
void readSignature(KernelInfo &kernel, const std::set<std::string> &extra, Diagnostics &diags);

} // namespace moac::sema

#endif
