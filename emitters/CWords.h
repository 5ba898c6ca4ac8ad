// The words of terms for what C spells: operators, functions, numbers.
#ifndef MOAC_EMITTERS_CWORDS_H
#define MOAC_EMITTERS_CWORDS_H

#include "emitters/Term.h"

namespace moac::reading {

/// `+` on a type: `add f64`, `quotient`, `lt`; `unknown operator ^`.
std::string operatorWord(const std::string &spelling, const std::string &type);
/// What a function computes, by its name: `exp f64`, `min i64`, `add i32 wrapping`, `call f`.
std::string calledWord(const std::string &name);
/// A floating-point number in hexadecimal, so that each value has one word; `nan`, `-inf`.
std::string realWord(double value, bool isFloat);
/// Whether a term is an integer or real literal, a sign included.
bool isNumber(const Term &term);

} // namespace moac::reading

#endif
