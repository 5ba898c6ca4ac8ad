// Reading a description in JSON so that its author learns of every mistake at once. LLVM's library parses; what is
// checked here is meaning: keys are known, values have their type and range, nothing needed is missing. Each complaint
// names the file and the path of the key:
//
//     zen4.json: memories[1].line: expected a positive integer, found "64 B"
//
// A reader of an object lists its keys and says what to do with each:
//
//     reader.members(value, path, {{"name", true}, {"extent", false}}, [&](auto key, auto &v, auto &at) { ... });
#ifndef MOAC_IR_JSONREADER_H
#define MOAC_IR_JSONREADER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace moac {

class JsonReader {
public:
  using Value = llvm::json::Value;
  struct Key {
    llvm::StringRef name;
    bool needed;
  };

  /// `where` names the description in messages.
  explicit JsonReader(std::string where) : where(std::move(where)) {}

  /// Nothing, after a complaint, when the text is not JSON.
  std::optional<Value> parse(std::string_view text);

  void complain(const std::string &path, const std::string &what);
  void expected(const std::string &path, const char *what, const Value &value);

  void read(const Value &value, const std::string &path, std::string &to); ///< not empty
  void read(const Value &value, const std::string &path, int64_t &to);     ///< positive
  void read(const Value &value, const std::string &path, double &to);      ///< finite, not negative
  void read(const Value &value, const std::string &path, std::map<std::string, double> &to);

  /// Visits the members of an object in the order of `keys`; complains of others and of missing ones.
  void members(const Value &value, const std::string &path, const std::vector<Key> &keys,
               llvm::function_ref<void(llvm::StringRef, const Value &, const std::string &)> visit);
  /// Visits the elements of an array, of which there must be one.
  void elements(const Value &value, const std::string &path,
                llvm::function_ref<void(const Value &, const std::string &)> visit);

  std::string errors; ///< a line each; empty: all is well

private:
  std::string where;
};

} // namespace moac

#endif
