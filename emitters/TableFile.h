// A language from a file: the answers of a table as text, one a line, so that a language can be added
// without compiling anything.
//
//     loop   for {name} in range({lo}, {hi}):
//     op     add floats,index 12 12 13 {0} + {1}
//
// A line is a key and its value; docs/add-language.md lists the keys. What the file does not say is
// unsupported and becomes a message when a kernel needs it. The file also says what stands around a
// kernel's loops: first lines, the head of a function, how it ends.
#ifndef MOAC_EMITTERS_TABLEFILE_H
#define MOAC_EMITTERS_TABLEFILE_H

#include "emitters/CFile.h"

#include <deque>
#include <memory>

namespace moac::emit {

struct TableFile {
  explicit TableFile(LangTraits blank) : traits(std::move(blank)) {}
  LangTraits traits;
  std::string extension = ".txt";
  std::string prologue;                      // first lines of every file
  Text function = "", close = "", result = ""; // {kernel} {parameters}; {status}
  std::vector<std::string> problems;         // `line 3: ...`
  std::shared_ptr<std::deque<std::string>> words = std::make_shared<std::deque<std::string>>();
  std::shared_ptr<std::vector<std::string_view>> reserved, internal; // what `traits` points to
};
/// `name` is for messages.
TableFile readTable(std::string_view text, const std::string &name);
/// One function for each kernel: parameters are symbols, scalars, inputs and outputs.
Emitted printTableFile(const tree::File &file, const TableFile &table);

} // namespace moac::emit

#endif
