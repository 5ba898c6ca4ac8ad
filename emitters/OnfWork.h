// The work of an ONF function, to be compared with that of the C printed from it.
#ifndef MOAC_EMITTERS_ONFWORK_H
#define MOAC_EMITTERS_ONFWORK_H

#include "emitters/LoopTree.h"
#include "emitters/Work.h"
#include "ir/Onf.h"

namespace moac::emit {

/// `kernel` gives the arguments their spelled names.
reading::Work workOf(onf::FuncOp function, const tree::Kernel &kernel);

} // namespace moac::emit

#endif
