// A kernel's IR back in the language's index form, for readers: `O_sum[b, i, p] = sum[k < M](P[b, i, k] * V[b, k, p])`.
//
// `moac explain` shows the DNF so, and emitted sources carry it as comments of the stages that the compiler made.
#ifndef MOAC_IR_INDEXFORM_H
#define MOAC_IR_INDEXFORM_H

#include "ir/Moa.h"

namespace moac::moa {

/// How formulas are written: in the language's index form, or with MoA's glyphs, `(<i j> ψ A) × 2`.
enum class Notation { Index, Moa };

/// The expression of a scalar inside a gen. Long texts are cut at `limit` characters with `...`.
std::string indexForm(mlir::Value scalar, size_t limit = 4000, Notation notation = Notation::Index);
/// `name[i, j] = expression`; in MoA's notation `<i j> ψ name = expression`.
std::string indexForm(GenOp gen, size_t limit = 4000, Notation notation = Notation::Index);
/// One line for each stage of the kernel.
std::string indexForm(KernelOp kernel);

/// What axis `position` of this extent is called where the user gave no name: `n1` for an extent N, `a1` for N - 2.
std::string axisName(const shape::Expr &extent, unsigned position);

} // namespace moac::moa

#endif
