// The header of an emitted C file: prototypes and what a caller must know.
#include "emitters/CFile.h"
#include "emitters/CKernel.h"
#include "emitters/Demand.h"
#include "emitters/CSupport.h"
#include "emitters/Layout.h"

#include <cctype>
#include <fmt/format.h>

namespace moac::emit {
using namespace tree;

namespace {

std::string guardName(std::string_view header) {
  std::string guard = "MOAC_KERNELS_";
  for (char c : header)
    guard += std::isalnum(static_cast<unsigned char>(c))
                 ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                 : '_';
  return guard;
}

class HeaderPrinter {
public:
  explicit HeaderPrinter(const LangTraits &lang)
      : printer(lang), lang(lang), limit(lang.lineLimit) {}

  void comment(const std::vector<std::string> &lines) {
    text += "/*\n";
    for (const std::string &line : lines)
      for (const std::string &one : commentLines(line, " *", limit))
        text += one + '\n';
    text += " */\n";
  }

  void prototype(const std::string &head, const std::vector<std::string> &parameters) {
    printer.line(head + "(" + (parameters.empty() ? "void" : join(parameters, ",")) + ");",
                 head.size() + 1);
    text += printer.take();
  }

  void kernel(const Kernel &kernel) {
    std::vector<std::string> doc = kernel.doc;
    for (const Array &array : kernel.inputs)
      doc.push_back(fmt::format("  in  {}: {}", array.name, array.shape));
    for (const Array &array : kernel.outputs)
      doc.push_back(fmt::format("  out {}: {}", array.name, array.shape));
    for (const Requirement &requirement : kernel.requirements)
      if (!requirement.text.empty())
        doc.push_back("  requires " + requirement.text);
    text += '\n';
    comment(doc);
    prototype("int " + kernel.name, cParameters(printer, kernel, "*"));
    for (const std::string &form : lang.residentForms)
      resident(kernel, form);
    if (needsScratch(kernel) && !lang.memoryForms.empty())
      workspace(kernel);
  }

  void workspace(const Kernel &kernel) {
    text += '\n';
    comment({fmt::format("The same with the caller's scratch memory: {0}_ws_size() bytes of "
                         "untyped storage, any alignment. The size depends on the thread count; "
                         "with less memory fewer threads work.",
                         kernel.name)});
    prototype("size_t " + kernel.name + "_ws_size", cScalarParameters(printer, kernel));
    std::vector<std::string> parameters = cParameters(printer, kernel, "*");
    parameters.push_back("void *ws");
    parameters.push_back("size_t ws_bytes");
    prototype("int " + kernel.name + "_ws", parameters);
    printer.addWords("size_t");
  }

  void resident(const Kernel &kernel, const std::string &form) {
    text += '\n';
    comment({"The same for arrays that are on the device already: every pointer is one that an "
             "enclosing data construct or acc_copyin() knows, and results stay there."});
    prototype("int " + kernel.name + form, cParameters(printer, kernel, "*"));
  }

  Printer printer;
  const LangTraits &lang;
  size_t limit;
  std::string text;
};

const std::vector<std::string> &statusDoc() {
  static const std::vector<std::string> lines = {
      "Every kernel returns 0, or",
      "  -1 (MOAC_NULL_POINTER)      an array that has elements is null",
      "  -2 (MOAC_EXTENT)            an extent is negative or does not divide",
      "  -3 (MOAC_CONSTRAINT)        a condition of the signature does not hold",
      "  -4 (MOAC_INDEX)             an index read from data left its axis",
      "  -5 (MOAC_OVERFLOW)          an array would be too large to exist",
      "  -6 (MOAC_ALIASING)          an output overlaps another array",
      "  -7 (MOAC_NO_MEMORY)         scratch memory could not be had",
      "  -8 (MOAC_DIVISION_BY_ZERO)  an integer division by zero",
      "After -4 and -8 the outputs may be partly written; after any other they are untouched. "
      "Arrays "
      "are dense, the last axis varies fastest, and empty ones may be null. f16 and bf16 elements "
      "are patterns of 16 bits."};
  return lines;
}

} // namespace

Emitted printCHeader(const File &file, const COptions &options, const LangTraits &lang) {
  HeaderPrinter kernels(lang);
  for (const Kernel &kernel : file.kernels)
    kernels.kernel(kernel);
  HeaderPrinter header(lang);
  const std::string guard = guardName(options.headerName);
  std::vector<std::string> opening = {
      fmt::format("Kernels of {}, written by moac; change the source, not this file.",
                  file.source.empty() ? "a .moa file" : file.source),
      ""};
  opening.insert(opening.end(), statusDoc().begin(), statusDoc().end());
  header.comment(opening);
  std::string text = header.text + fmt::format("#ifndef {0}\n#define {0}\n\n", guard);
  for (const std::string &name : cPrologue(kernels.printer.words(), true).headers)
    text += fmt::format("#include {}\n", name);
  text += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + kernels.text +
          "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return {text, kernels.printer.problems()};
}

} // namespace moac::emit
