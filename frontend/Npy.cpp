// Reader and writer of .npy files.
//
//     "\x93NUMPY" major minor | header length (2 bytes; 4 from version 2) | header | elements
//
// The header is a Python dictionary literal with the keys descr, fortran_order and shape. Its
// grammar here is the small part that NumPy writes: strings, True/False, a tuple of integers, in
// any key order, with any blanks.
#include "frontend/Npy.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace moac;

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr size_t maxRank = 64;

struct Header {
  std::string descr;
  bool fortranOrder = false;
  HostShape shape;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};

/// Recursive-descent reader of the header dictionary. Every method leaves the position after what
/// it read.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text(text) {}

  /// Empty when the header was read; else the reason why not.
  std::string read(Header &header) {
    if (!take('{'))
      return "header is not a dictionary";
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return "header has no key";
      std::string reason = value(key, header);
      if (!reason.empty())
        return reason;
      if (!take(',') && !peek('}'))
        return "header entries are not separated by commas";
    }
    if (!header.hasDescr || !header.hasOrder || !header.hasShape)
      return "header lacks one of 'descr', 'fortran_order', 'shape'";
    return "";
  }

private:
  void skipBlanks() {
    while (at < text.size() &&
           (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
      ++at;
  }
  bool peek(char c) {
    skipBlanks();
    return at < text.size() && text[at] == c;
  }
  bool take(char c) {
    bool found = peek(c);
    at += found;
    return found;
  }
  bool takeWord(std::string_view word) {
    skipBlanks();
    bool found = text.substr(at, word.size()) == word;
    at += found ? word.size() : 0;
    return found;
  }

  bool string(std::string &out) {
    skipBlanks();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    size_t end = text.find(text[at], at + 1);
    if (end == text.npos)
      return false;
    out = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }

  bool extent(int64_t &out) {
    skipBlanks();
    size_t first = at;
    out = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9')
      if (__builtin_mul_overflow(out, 10, &out) ||
          __builtin_add_overflow(out, text[at++] - '0', &out))
        return false;
    return at > first;
  }

  std::string value(const std::string &key, Header &header) {
    if (key == "descr") {
      header.hasDescr = string(header.descr);
      return header.hasDescr ? "" : "structured element types are not supported";
    }
    if (key == "fortran_order") {
      header.fortranOrder = takeWord("True");
      header.hasOrder = header.fortranOrder || takeWord("False");
      return header.hasOrder ? "" : "'fortran_order' is neither True nor False";
    }
    if (key != "shape")
      return fmt::format("unknown header key '{}'", key);
    header.hasShape = true;
    if (!take('('))
      return "'shape' is not a tuple";
    while (!take(')')) {
      int64_t n;
      if (!extent(n) || header.shape.size() == maxRank)
        return "'shape' is not a tuple of non-negative 64-bit integers";
      header.shape.push_back(n);
      if (!take(',') && !peek(')'))
        return "'shape' is not a tuple";
    }
    return "";
  }

  std::string_view text;
  size_t at = 0;
};

struct Spelling {
  const char *code;
  ElementType type;
};
constexpr Spelling spellings[] = {
    {"f2", ElementType::f16_}, {"V2", ElementType::bf16_}, {"f4", ElementType::f32_},
    {"f8", ElementType::f64_}, {"i1", ElementType::i8_},   {"i2", ElementType::i16_},
    {"i4", ElementType::i32_}, {"i8", ElementType::i64_},  {"u1", ElementType::u8_},
    {"u2", ElementType::u16_}, {"u4", ElementType::u32_},  {"u8", ElementType::u64_},
    {"b1", ElementType::bool_}};

std::optional<ElementType> elementTypeOf(const std::string &descr, std::string &error) {
  std::string_view code = descr;
  const char order = code.empty() ? '\0' : code[0];
  if (order == '<' || order == '>' || order == '|' || order == '=')
    code.remove_prefix(1);
  for (const Spelling &spelling : spellings) {
    if (code != spelling.code)
      continue;
    if (order == '>' && bitWidth(spelling.type) > 8) {
      error = fmt::format(
          "big-endian elements ('{}'); convert with a.astype(a.dtype.newbyteorder('<'))", descr);
      return std::nullopt;
    }
    return spelling.type;
  }
  if (!code.empty() && code[0] == 'O')
    error = "Python objects ('|O') are not array elements of moac";
  else
    error = fmt::format("element type '{}' is none of moac's", descr);
  return std::nullopt;
}

/// Copies column-major elements into row-major order.
void fromFortranOrder(std::string_view elements, HostArray &array) {
  const HostShape &shape = array.shape();
  const size_t bytes = array.elementBytes(), rank = shape.size();
  std::vector<int64_t> strides(rank, 1), index(rank, 0);
  for (size_t axis = 1; axis < rank; ++axis)
    strides[axis] = strides[axis - 1] * shape[axis - 1];
  int64_t from = 0;
  for (int64_t position = 0; position < array.size(); ++position) {
    std::memcpy(array.bytes().data() + static_cast<size_t>(position) * bytes,
                elements.data() + static_cast<size_t>(from) * bytes, bytes);
    for (size_t axis = rank; axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

std::optional<HostArray> fail(std::string &error, std::string text) {
  error = std::move(text);
  return std::nullopt;
}

size_t littleEndian(std::string_view bytes) {
  size_t value = 0;
  for (size_t k = bytes.size(); k-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

} // namespace

std::optional<HostArray> moac::parseNpy(std::string_view bytes, std::string &error) {
  if (bytes.size() < magic.size() + 4 || bytes.substr(0, magic.size()) != magic)
    return fail(error, "not a .npy file");
  const int version = static_cast<unsigned char>(bytes[magic.size()]);
  if (version < 1 || version > 3)
    return fail(error, fmt::format(".npy version {} is not known", version));
  const size_t lengthBytes = version == 1 ? 2 : 4, start = magic.size() + 2 + lengthBytes;
  if (bytes.size() < start)
    return fail(error, "the file ends inside its header");
  const size_t length = littleEndian(bytes.substr(magic.size() + 2, lengthBytes));
  if (bytes.size() - start < length)
    return fail(error, "the file ends inside its header");
  Header header;
  std::string reason = HeaderReader(bytes.substr(start, length)).read(header);
  if (!reason.empty())
    return fail(error, reason);
  std::optional<ElementType> type = elementTypeOf(header.descr, error);
  if (!type)
    return std::nullopt;

  std::string_view elements = bytes.substr(start + length);
  std::optional<int64_t> count = elementCount(header.shape);
  const size_t elementBytes = bitWidth(*type) / 8;
  if (!count || static_cast<uint64_t>(*count) > elements.size() / elementBytes)
    return fail(error, fmt::format("shape {} needs more than the {} bytes of elements that follow",
                                   toString(header.shape), elements.size()));
  HostArray array(*type, header.shape);
  if (header.fortranOrder && header.shape.size() > 1)
    fromFortranOrder(elements, array);
  else if (*count > 0)
    std::memcpy(array.bytes().data(), elements.data(), array.bytes().size());
  if (*type == ElementType::bool_)
    for (std::byte &element : array.bytes())
      element = std::byte(element != std::byte(0));
  return array;
}

std::string moac::formatNpy(const HostArray &array) {
  std::string code;
  for (const Spelling &spelling : spellings)
    if (spelling.type == array.type())
      code = (array.elementBytes() == 1 ? "|" : "<") + std::string(spelling.code);
  std::string extents;
  for (int64_t extent : array.shape())
    extents += fmt::format("{}, ", extent);
  if (array.shape().size() > 1)
    extents.resize(extents.size() - 2);
  else if (array.shape().size() == 1)
    extents.pop_back();
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", code, extents);
  // Elements begin at a multiple of 64 bytes, and the header ends with a new line.
  const size_t prefix = magic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string file(magic);
  file +=
      {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  file += header;
  file.append(reinterpret_cast<const char *>(array.bytes().data()), array.bytes().size());
  return file;
}

std::optional<HostArray> moac::readNpy(const std::string &path, std::string &error) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  if (!file || (file.peek() != EOF && !(contents << file.rdbuf())) || file.bad())
    return fail(error, fmt::format("cannot read '{}'", path));
  std::optional<HostArray> array = parseNpy(contents.view(), error);
  if (!array)
    error = fmt::format("'{}': {}", path, error);
  return array;
}

bool moac::writeNpy(const std::string &path, const HostArray &array, std::string &error) {
  const std::string partial = fmt::format("{}.{}.partial", path, getpid());
  std::ofstream file(partial, std::ios::binary);
  file << formatNpy(array);
  file.close();
  if (file && std::rename(partial.c_str(), path.c_str()) == 0)
    return true;
  std::remove(partial.c_str());
  error = fmt::format("cannot write '{}'", path);
  return false;
}

std::optional<HostArray> moac::reinterpretAs(HostArray array, ElementType wanted) {
  if (array.type() == wanted)
    return array;
  if (array.type() != ElementType::u16_ || wanted != ElementType::bf16_)
    return std::nullopt;
  HostArray result(wanted, array.shape());
  std::memcpy(result.bytes().data(), array.bytes().data(), array.bytes().size());
  return result;
}
