// Reads trace files line by line. Traces can be large, so words are interned and numbers parsed in
// place.
#include "runtime/model/Trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

namespace moac::model {
namespace {

constexpr int maxPes = 4096;
constexpr std::string_view header = "moac-trace 1";

// In the order of RecordKind: the word, a field it cannot do without, whether it needs a value too.
struct RecordInfo {
  std::string_view name, field;
  bool needsValue;
};
constexpr std::array<RecordInfo, 24> infos = {{
    {"ld", "mem", false},        {"st", "mem", false},          {"put", "dst", false},
    {"get", "src", false},       {"set", "dst", true},          {"fetch", "src", true},
    {"amo", "mem", true},        {"put_signal", "sig", true},   {"signal_set", "sig", true},
    {"signal_add", "sig", true}, {"signal_fetch", "mem", true}, {"wait", "mem", true},
    {"test", "mem", true},       {"set_lock", "lock", true},    {"clear_lock", "lock", true},
    {"fence", "", false},        {"quiet", "", false},          {"barrier", "", false},
    {"sync", "", false},         {"coll", "", false},           {"release", "tok", false},
    {"acquire", "tok", false},   {"alloc", "mem", false},       {"free", "mem", false},
}};

bool parseInteger(std::string_view text, int64_t &out) {
  bool negative = text.starts_with("-");
  text.remove_prefix(negative);
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  out = static_cast<int64_t>(negative ? 0 - value : value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty();
}

// `%20` in a source position is a blank.
std::string decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char *digits = text.data() + i + 1;
    bool coded = text[i] == '%' && i + 2 < text.size() &&
                 std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += coded ? static_cast<char>(byte) : text[i];
    i += coded ? 2 : 0;
  }
  return out;
}

class Interner {
public:
  explicit Interner(std::vector<std::string> &table) : table(table) {
    for (size_t i = 0; i < table.size(); ++i)
      index.emplace(table[i], static_cast<int>(i));
  }
  int operator()(std::string_view word) {
    auto [entry, isNew] = index.try_emplace(std::string(word), static_cast<int>(table.size()));
    if (isNew)
      table.emplace_back(word);
    return entry->second;
  }

private:
  std::vector<std::string> &table;
  std::unordered_map<std::string, int> index;
};

class Reader {
public:
  Reader(const std::string &file, Trace &trace)
      : file(file), trace(trace), word(trace.words), space(trace.spaces) {}

  std::optional<SourceError> run(std::string_view text) {
    bool begun = false;
    while (!text.empty() && !error) {
      ++line;
      size_t end = std::min(text.find('\n'), text.size());
      split(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (words.empty())
        continue;
      if (begun)
        readLine();
      else if (words.size() != 2 || words[0] != "moac-trace" || words[1] != "1")
        fail("a trace begins with '" + std::string(header) + "'");
      begun = true;
    }
    if (!begun && !error)
      fail("a trace begins with '" + std::string(header) + "'");
    return error;
  }

private:
  bool fail(const std::string &message) {
    if (!error)
      error = SourceError{file, message, std::max(line, 1)};
    return false;
  }

  void split(std::string_view text) {
    words.clear();
    text = text.substr(0, text.find('#'));
    while (true) {
      size_t begin = text.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos)
        return;
      text.remove_prefix(begin);
      size_t end = std::min(text.find_first_of(" \t\r"), text.size());
      words.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  bool integer(std::string_view text, int64_t &out, int64_t low, int64_t high) {
    if (!parseInteger(text, out) || out < low || out > high)
      return fail("'" + std::string(text) + "' is not a number between " + std::to_string(low) +
                  " and " + std::to_string(high));
    return true;
  }

  bool pe(std::string_view text, int &out) {
    int64_t value = 0;
    if (!integer(text, value, 0, maxPes - 1))
      return false;
    out = static_cast<int>(value);
    return true;
  }

  bool peList(std::string_view text, std::vector<int> &out) {
    while (!text.empty()) {
      size_t end = std::min(text.find(','), text.size());
      if (!pe(text.substr(0, end), out.emplace_back()))
        return false;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return !out.empty() || fail("expected a list of PEs");
  }

  // PE:SPACE/ADDRESS+BYTES
  bool range(std::string_view text, ByteRange &out) {
    size_t colon = text.find(':'), plus = text.rfind('+');
    if (colon == std::string_view::npos || plus == std::string_view::npos || plus < colon)
      return fail("'" + std::string(text) + "' is not a range PE:ADDRESS+BYTES");
    if (!pe(text.substr(0, colon), out.pe))
      return false;
    std::string_view address = text.substr(colon + 1, plus - colon - 1);
    size_t slash = address.rfind('/');
    if (slash != std::string_view::npos)
      out.space = space(address.substr(0, slash));
    int64_t begin = 0, bytes = 0;
    if (!parseInteger(slash == std::string_view::npos ? address : address.substr(slash + 1),
                      begin) ||
        !integer(text.substr(plus + 1), bytes, 0, int64_t{1} << 48))
      return fail("'" + std::string(text) + "' is not a range PE:ADDRESS+BYTES");
    out.begin = static_cast<uint64_t>(begin);
    out.end = out.begin + static_cast<uint64_t>(bytes);
    return out.end >= out.begin || fail("a range wraps around");
  }

  void readLine() {
    if (words[0] == "moac-trace") // files put together with cat
      return;
    if (words[0] == "added")
      return readAdded();
    if (words[0] == "com")
      return readComId();
    if (words[0] == "pes" || words[0] == "team")
      return void(readDeclaration());
    auto found = std::find_if(infos.begin(), infos.end(),
                              [&](const RecordInfo &info) { return info.name == words[0]; });
    if (found == infos.end())
      return void(fail("no record '" + std::string(words[0]) + "'"));
    Record record;
    record.kind = static_cast<RecordKind>(found - infos.begin());
    record.position = -1;
    if (!readFields(record))
      return;
    if (record.position < 0)
      record.position = word(file + ":" + std::to_string(line));
    if (record.add != 0)
      adds[{record.pe, record.add}] = trace.records.size();
    trace.records.push_back(std::move(record));
  }

  bool readFields(Record &record) {
    bool hasPe = false;
    for (size_t i = 1; i < words.size(); ++i) {
      size_t equals = words[i].find('=');
      std::string_view key = words[i].substr(0, equals);
      hasPe = hasPe || key == "pe";
      if (equals == std::string_view::npos ? !readFlag(record, key)
                                           : !readField(record, key, words[i].substr(equals + 1)))
        return false;
    }
    return hasPe || fail("a record needs pe=");
  }

  // What an add of this file has found, which its record could not know yet.
  void readAdded() {
    Record found;
    if (!readFields(found))
      return;
    auto add = adds.find({found.pe, found.add});
    if (add == adds.end())
      return void(fail("no record before this one has pe=" + std::to_string(found.pe) +
                       " add=" + std::to_string(found.add)));
    if (!found.value || !found.old)
      return void(fail("'added' needs val= and old="));
    trace.records[add->second].value = found.value;
    trace.records[add->second].old = found.old;
    trace.records[add->second].seen = found.stamp;
    adds.erase(add);
  }

  void readComId() {
    int64_t id = 0, parent = 0;
    if (words.size() != 4 || words[2] != "under")
      return void(fail("expected 'com ID under ID'"));
    if (!integer(words[1], id, 1, INT64_MAX) || !integer(words[3], parent, 0, INT64_MAX))
      return;
    for (int64_t at = parent; at != 0;
         at = trace.comParents.contains(at) ? trace.comParents[at] : 0)
      if (at == id)
        return void(fail("com " + std::to_string(id) + " would be below itself"));
    if (trace.comParents.try_emplace(id, parent).first->second != parent)
      fail("com " + std::to_string(id) + " had another parent before");
  }

  bool readDeclaration() {
    int64_t number = 0;
    bool isTeam = words[0] == "team";
    if (words.size() != (isTeam ? 3u : 2u))
      return fail("expected 'pes N' or 'team ID PE,PE,...'");
    if (!integer(words[1], number, isTeam ? 0 : 1, isTeam ? INT64_MAX : maxPes))
      return false;
    if (!isTeam) {
      if (trace.pes != 0 && trace.pes != number)
        return fail("'pes' was " + std::to_string(trace.pes) + " before");
      trace.pes = static_cast<int>(number);
      return true;
    }
    std::vector<int> members;
    if (!peList(words[2], members))
      return false;
    auto [entry, isNew] = trace.teams.try_emplace(number, members);
    return isNew || entry->second == members ||
           fail("team " + std::to_string(number) + " had other members before");
  }

  bool readFlag(Record &record, std::string_view key) {
    if (key == "nbi")
      record.nonBlocking = true;
    else if (key == "nostore")
      record.nostore = true;
    else if (key == "fail")
      record.fails = true;
    else if (key == "atomic")
      record.atomic = true;
    else if (key == "acq")
      record.acquire = true;
    else if (key == "rel")
      record.release = true;
    else
      return fail("no flag '" + std::string(key) + "'");
    return true;
  }

  bool readField(Record &record, std::string_view key, std::string_view value) {
    int64_t number = 0;
    auto any = [&] { return integer(value, number, INT64_MIN, INT64_MAX); };
    if (key == "pe")
      return pe(value, record.pe);
    if (key == "at")
      return record.position = word(decoded(value)), true;
    if (key == "tok" || key == "name")
      return record.token = word(value), true;
    if (key == "dom")
      return record.domain = word(value), true;
    if (key == "dst")
      return range(value, record.to.emplace_back());
    if (key == "src")
      return range(value, record.from.emplace_back());
    if (key == "mem" || key == "sig" || key == "lock")
      return range(value, record.word.emplace());
    if (key == "to")
      return peList(value, record.quietTargets);
    if (!any())
      return false;
    if (key == "thr")
      record.thread = static_cast<int>(std::clamp<int64_t>(number, 0, INT32_MAX));
    else if (key == "t")
      record.stamp = number;
    else if (key == "seen")
      record.seen = number;
    else if (key == "ctx")
      record.context = number;
    else if (key == "com")
      record.com = number;
    else if (key == "val")
      record.value = number;
    else if (key == "old")
      record.old = number;
    else if (key == "add")
      record.add = number;
    else if (key == "team")
      record.team = number;
    else if (key == "seq")
      record.sequence = number;
    else
      return fail("no field '" + std::string(key) + "'");
    return true;
  }

  const std::string &file;
  Trace &trace;
  Interner word, space;
  std::map<std::pair<int, int64_t>, size_t> adds; // (PE, number): record
  std::vector<std::string_view> words;
  int line = 0;
  std::optional<SourceError> error;
};

// A field that the record lacks, or nothing.
std::string_view missingField(const Record &r) {
  const RecordInfo &info = infos[static_cast<size_t>(r.kind)];
  bool has = info.field == "dst"   ? !r.to.empty()
             : info.field == "src" ? !r.from.empty()
             : info.field == "tok" ? r.token != 0
                                   : info.field.empty() || r.word;
  if (!has)
    return info.field;
  bool adds = r.kind == RecordKind::PutSignal || r.kind == RecordKind::SignalAdd;
  bool undelivered = adds && r.add != 0;
  return info.needsValue && !r.value && !undelivered ? "val" : "";
}

} // namespace

std::string_view recordName(RecordKind kind) { return infos[static_cast<size_t>(kind)].name; }

std::optional<SourceError> readTrace(std::string_view text, const std::string &file, Trace &trace) {
  return Reader(file, trace).run(text);
}

std::optional<SourceError> validateTrace(const Trace &trace, const std::string &file) {
  auto wrong = [&](const Record &record, const std::string &message) {
    return SourceError{file,
                       std::string(recordName(record.kind)) + " at " +
                           trace.words[record.position] + ": " + message,
                       0};
  };
  if (trace.pes == 0)
    return SourceError{file, "no line 'pes N'", 0};
  for (auto &[id, members] : trace.teams)
    for (int member : members)
      if (member >= trace.pes)
        return SourceError{
            file, "team " + std::to_string(id) + ": no such PE: " + std::to_string(member), 0};
  for (const Record &record : trace.records) {
    if (std::string_view field = missingField(record); !field.empty())
      return wrong(record, "needs " + std::string(field) + "=");
    auto outside = [&](const ByteRange &range) { return range.pe >= trace.pes; };
    if (record.pe >= trace.pes || std::any_of(record.to.begin(), record.to.end(), outside) ||
        std::any_of(record.from.begin(), record.from.end(), outside) ||
        (record.word && outside(*record.word)))
      return wrong(record, "no such PE");
    if (record.team != 0 && !trace.teams.contains(record.team))
      return wrong(record, "no team " + std::to_string(record.team));
  }
  return std::nullopt;
}

std::string rangeText(const Trace &trace, const ByteRange &range) {
  char digits[17];
  auto end = std::to_chars(digits, digits + 16, range.begin, 16).ptr;
  std::string name = trace.spaces[range.space];
  return std::to_string(range.pe) + ":" + (name.empty() ? "" : name + "/") + "0x" +
         std::string(digits, end) + "+" + std::to_string(range.end - range.begin);
}

} // namespace moac::model
