// The onf dialect for C++ readers: structured loops over flat memory.
#ifndef MOAC_IR_ONF_H
#define MOAC_IR_ONF_H

#include "ir/Moa.h"

#include "ir/OnfDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/OnfTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/OnfOps.h.inc"

#endif
