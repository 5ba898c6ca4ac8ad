// What `moac explain` says about a kernel, as data: gathered from the compiler's forms (Explain.cpp), then written for a
// reader in index form or in MoA's notation, or as JSON (ExplainText.cpp). No MLIR here.
#ifndef MOAC_FRONTEND_EXPLAIN_H
#define MOAC_FRONTEND_EXPLAIN_H

#include <string>
#include <vector>

namespace moac {

struct Explanation {
  /// A position in a source file and its line; `line` 0: unknown.
  struct Place {
    std::string file;
    unsigned line = 0, column = 0; ///< from 1, columns in characters
    std::string text;
  };
  /// An array and its shape, `<B N D>`.
  struct Shape {
    std::string name, role, shape, type; ///< role: input, value, result
  };
  /// One operation on arrays: the shapes of its operands, and the one that follows.
  struct ShapeStep {
    std::string word;
    std::vector<std::string> operands;
    std::string shape;
    Place place;
  };
  /// What has to hold when the kernel is called, and the status otherwise.
  struct Requirement {
    std::string status, text;
  };
  /// A law that fired, and the word it removed.
  struct Law {
    std::string id, word, equation;
    Place place;
  };
  /// A stage of the DNF.
  struct Stage {
    std::string name, shape, type, formula;
  };
  /// What the default schedule decided about a stage, and why.
  struct Decision {
    std::string stage, verdict;
  };

  std::string kernel;
  std::vector<Shape> shapes;
  std::vector<ShapeStep> shapePass; ///< operands before what is made of them
  std::vector<Requirement> requirements;
  std::vector<Law> laws; ///< in the order in which they fired
  std::vector<Stage> stages;
  std::vector<std::string> checks; ///< reads that are checked while the kernel runs
  std::vector<Decision> decisions;
  std::string schedule; ///< lines of directives
  std::string loops;    ///< the ONF in loop notation
};

/// The whole text; `glyphs`: law equations in MoA's characters.
std::string explanationText(const Explanation &e, bool glyphs);
/// The same as one JSON object.
std::string explanationJson(const Explanation &e);
/// Words of an equation replaced by their glyphs: `i ψ (⍉ A) == (⌽ i) ψ A`.
std::string withGlyphs(const std::string &equation);

} // namespace moac

#endif
