// Source files and positions in them.
//
// A program may span several files (imports), and a message may point into any of them, so a range
// names its file. Offsets are bytes; lines and columns are computed only when a message is printed.
#ifndef MOAC_FRONTEND_SOURCE_H
#define MOAC_FRONTEND_SOURCE_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace moac {

/// The longest file that is read. SourceManager keeps one byte more of a longer one, so that the
/// parser sees that it is too long; a driver can refuse before reading.
inline constexpr uint32_t maxFileBytes = 4u << 20;

/// Index of a file in its SourceManager.
using FileId = uint32_t;

/// Half-open byte range [begin, end) of one file. A default range points nowhere.
struct SourceRange {
  static constexpr FileId noFile = ~FileId(0);

  FileId file = noFile;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const { return file != noFile; }
  friend bool operator==(const SourceRange &, const SourceRange &) = default;
};

/// From the begin of `first` to the end of `last`; both in one file, or one of them invalid.
SourceRange join(SourceRange first, SourceRange last);

/// A position as a user counts it: both from 1, columns in characters (not bytes; a tab is one).
struct LineColumn {
  unsigned line = 0;
  unsigned column = 0;
};

/// Owns the text of every file of a compilation. Files are never removed; views stay valid.
class SourceManager {
public:
  SourceManager() = default;
  SourceManager(const SourceManager &) = delete;
  SourceManager &operator=(const SourceManager &) = delete;
  SourceManager(SourceManager &&) = default;
  SourceManager &operator=(SourceManager &&) = default;

  /// Takes a file's text; `path` is what messages print.
  FileId add(std::string path, std::string text);
  unsigned size() const { return files.size(); }

  std::string_view path(FileId file) const;
  std::string_view text(FileId file) const;
  /// The source text of a range; empty when it is invalid or out of bounds.
  std::string_view text(SourceRange range) const;

  /// Line and column of a byte offset; offsets past the end are taken as the end.
  LineColumn lineColumn(FileId file, uint32_t offset) const;
  /// Byte range of the line that holds `offset`, without its line end.
  SourceRange line(FileId file, uint32_t offset) const;

private:
  struct File;
  struct FileDeleter {
    void operator()(File *) const;
  };
  std::vector<std::unique_ptr<File, FileDeleter>> files;
};

} // namespace moac

#endif
