// The questions every target language must answer, so that one printer serves them all.
//
// A language is one value of LangTraits: text patterns, precedence numbers and a few flags, with no
// code. No field has a default: a table that leaves one out does not compile, and what a language
// lacks is written `unsupported("reason")`, which reaches the user as a diagnostic. Patterns name
// their holes: "{target} = {value};". The rows for operations are looked up by operation and
// operand type; LangTraits.cpp's `holes` lists every pair that has no row, which a test holds
// empty.
//
// In a row's text every blank before an operator and after a comma is a place where a long line may
// be broken: "{0} + {1}", "fma({0}, {1}, {2})".
#ifndef MOAC_EMITTERS_LANGTRAITS_H
#define MOAC_EMITTERS_LANGTRAITS_H

#include "emitters/LoopTree.h"

#include <string>
#include <string_view>
#include <vector>

namespace moac::emit {

using tree::Elem;
using tree::Op;

/// A pattern, or the reason why the language has none.
class Text {
public:
  Text(const char *pattern) : words(pattern) {}
  Text(std::string pattern) : words(std::move(pattern)) {}
  bool supported() const { return has; }
  /// The pattern; meaningless when unsupported.
  const std::string &pattern() const { return words; }
  /// Why there is no pattern.
  const std::string &reason() const { return words; }
  friend Text unsupported(std::string reason);

private:
  std::string words;
  bool has = true;
};
Text unsupported(std::string reason);

/// A set of element types.
using TypeSet = uint32_t;
constexpr TypeSet only(Elem type) { return TypeSet{1} << static_cast<unsigned>(type); }
namespace types {
inline constexpr TypeSet index = only(Elem::Index), boolean = only(Elem::Bool),
                         f32 = only(Elem::F32), f64 = only(Elem::F64), f16 = only(Elem::F16),
                         bf16 = only(Elem::BF16), i8 = only(Elem::I8), i16 = only(Elem::I16),
                         i32 = only(Elem::I32), i64 = only(Elem::I64), u8 = only(Elem::U8),
                         u16 = only(Elem::U16), u32 = only(Elem::U32), u64 = only(Elem::U64);
inline constexpr TypeSet halves = f16 | bf16, floats = f32 | f64;
inline constexpr TypeSet narrow = i8 | i16 | u8 | u16;     // storage only
inline constexpr TypeSet integers = i32 | i64 | u32 | u64; // values
inline constexpr TypeSet values = index | boolean | integers | floats;
inline constexpr TypeSet all = values | narrow | halves;
} // namespace types

/// How an operation is spelled for some operand types. An operand is parenthesised when it binds
/// looser than its number; `chain` lets an operand 0 that is the same row stand bare.
struct OpRow {
  Op op;
  TypeSet operands; // type of the last operand
  Text text;        // holes {0} {1} {2}
  int precedence;
  std::vector<int> binds;
  bool chain;
};
/// How a conversion is spelled; the first row that fits counts. Holes: {0}, {type}.
struct CastRow {
  TypeSet from, to;
  Text text;
  int precedence;
  int binds;
};
/// A compound assignment; an update without a row is printed as an assignment. Holes: {target}
/// {value}.
struct UpdateRow {
  Op op;
  TypeSet operands;
  Text text;
};
/// Literals of some types. Holes: {v}, the decimal digits without a sign.
struct LiteralRow {
  TypeSet types;
  Text small;  // integers below 2^31; every finite real
  Text large;  // other integers
  Text lowest; // the most negative integer of the type, whose magnitude is no literal
  Text infinity, nan;
};

/// What the checks of arguments are made of, and giving up with a status.
struct CheckTexts {
  Text either, both;      // between two conditions
  Text giveUp;            // {status}: leaves the function
  Text nothing;           // {status}: leaves it because there is nothing to compute
  Text tooLarge;          // {bytes}, as a real number
  Text negative;          // {value}
  Text size;              // {name} {value}: names the bytes of an array
  Text empty;             // {bytes}
  Text missing;           // {name}: a null pointer
  Text missingUnlessEmpty; // {name} {bytes}
  Text overlap;           // {a} {aBytes} {b} {bBytes}
};

/// Which names a language takes. Everything is compared after folding when `foldsCase`.
struct NameRules {
  const std::vector<std::string_view> *reserved;  // keywords, macros, library names; sorted
  const std::vector<std::string_view> *internal;  // words that emitted code uses itself; sorted
  std::vector<std::string_view> reservedPrefixes; // beginnings that belong to others
  std::string_view prefix;                        // put before a name with such a beginning
  bool foldsCase;
  size_t maxLength;
  bool flatScopes; // a name means one thing (type) in a whole function
};

struct LangTraits {
  std::string_view name;
  // Types and literals
  std::vector<std::pair<Elem, Text>> typeNames;
  std::vector<LiteralRow> literals;
  Text literalTrue, literalFalse;
  int negativePrecedence; // of a literal with a sign
  // Expressions. Rows of `ops` are tried in order.
  std::vector<OpRow> ops;
  std::vector<CastRow> casts;
  std::vector<UpdateRow> updates, atomics; // those that other threads do not disturb have a row, or there are none
  Text load;             // {array} {offset}
  int primaryPrecedence; // of names, literals, loads
  // Statements
  Text note;                      // {text}
  Text let;                       // {type} {name} {value}; with declarationsFirst: the assignment
  Text variable;                  // {type} {name} {value}
  Text declaration;               // {type} {name}
  Text arrayDeclaration;          // {type} {name} {count}
  Text assign;                    // {target} {value}
  Text prefetch, prefetchRead;    // {element}
  Text gather;                    // {element} {bytes}: gives them to all processing elements
  Text meet;                      // waits for all of them
  Text fail;                      // {status}
  Text call;                      // {procedure} {arguments}
  Text ifOpen, ifElse, ifClose;   // {condition}
  Text loopOpen, loopOpenReverse; // {type} {name} {lo} {hi} {where}
  Text loopOpenStep;              // the same and {step}
  Text loopClose;
  Text emptyBlock; // stands for statements where there are none
  int loopBoundBinds, loopBoundReverseBinds; // for {hi}
  Text loopWhere;                            // {where}, a trailing comment
  // Directives. {clauses} is the concatenation of those that apply.
  Text teamLoop, teamLoopClose;
  Text teamOpen; // {slots}: before a region whose threads have buffers of their own
  Text region, regionClose;
  Text workshareLoop, workshareLoopClose;
  Text clauseEven, clauseUneven; // how iterations are divided: alike, or each as a thread is free
  Text laneLoop, unrollLoop; // {factor}
  Text blockLoop; // {lanes}: a lane loop of so many iterations, the lanes of a register block
  Text clauseCollapse;       // {n}
  Text clauseThreads;        // {work}: for a team without scratch
  Text clauseTeam;           // for a team whose size the kernel's scratch was made for
  Text clauseStatus;         // the status is combined over the team
  Text clausePrivate;        // {names}; only asked when explicitPrivate
  std::vector<std::pair<Op, Text>> laneReductions; // {name}
  Text threadSlot;    // {slots}: statements that give a thread its slice
  Text scratch;       // {type} {name} {bytes}: the next piece of a slice
  Text scratchBytes;  // {type} {elem} {factors}: size of a piece
  Text scratchFactor; // {factor}
  int scratchFactorBinds;
  std::vector<std::pair<tree::Status, Text>> statuses;
  CheckTexts checks;
  // A device with memory of its own; a language without one lists no clauses.
  std::vector<std::string> residentForms; // endings of functions for arrays that are there already
  std::vector<std::string> memoryForms;   // of functions that kernels with buffers have besides
  Text deviceArguments, deviceBuffers; // {clauses}: arrays are there for the statements that follow
  Text deviceDataClose;
  Text deviceSerial, deviceSerialClose;                        // {clauses}
  std::vector<std::pair<tree::Piece::Way, Text>> clausePieces; // {name} {count}
  std::vector<std::pair<tree::Level, Text>> clauseLevels;
  Text clauseGangs, clauseWorkers; // {n}
  bool outerLanes;                 // of nested lane loops the outer one has the lanes
  // Layout
  bool declarationsFirst; // declarations stand before all statements of a function
  bool explicitPrivate;   // variables of a parallel loop must be listed
  int indent;
  size_t lineLimit;
  Text continuation;          // ends a broken line
  Text directivePrefix;       // how a line is known to be a directive
  Text directiveContinuation; // ends a broken directive
  Text directiveResume;       // begins its next line
  NameRules names;
};

/// The row for `op` on `operand`, or null.
const OpRow *findOp(const LangTraits &lang, Op op, Elem operand);
const CastRow *findCast(const LangTraits &lang, Elem from, Elem to);
const UpdateRow *findUpdate(const std::vector<UpdateRow> &rows, Op op, Elem operand);
const LiteralRow *findLiteral(const LangTraits &lang, Elem type);

/// Every question without an answer, as `add on f64`; empty for a complete table.
std::vector<std::string> holes(const LangTraits &lang);

} // namespace moac::emit

#endif
