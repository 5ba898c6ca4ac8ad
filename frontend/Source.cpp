// Line tables and column arithmetic. Columns count characters, so text before a position is walked
// as UTF-8; a malformed byte counts as one character.
#include "frontend/Source.h"

#include <algorithm>

namespace moac {

struct SourceManager::File {
  std::string path;
  std::string text;
  std::vector<uint32_t> lineStarts; ///< offset of each line's first byte; never empty
};

void SourceManager::FileDeleter::operator()(File *file) const { delete file; }

SourceRange join(SourceRange first, SourceRange last) {
  if (!first.valid())
    return last;
  if (!last.valid() || last.file != first.file)
    return first;
  return {first.file, first.begin, std::max(first.end, last.end)};
}

FileId SourceManager::add(std::string path, std::string text) {
  std::unique_ptr<File, FileDeleter> file(new File);
  file->path = std::move(path);
  file->text = std::move(text);
  if (file->text.size() > maxFileBytes)
    file->text.resize(maxFileBytes + 1);
  file->lineStarts.push_back(0);
  for (uint32_t i = 0; i < file->text.size(); ++i)
    if (file->text[i] == '\n')
      file->lineStarts.push_back(i + 1);
  files.push_back(std::move(file));
  return FileId(files.size() - 1);
}

std::string_view SourceManager::path(FileId file) const {
  return file < files.size() ? std::string_view(files[file]->path) : std::string_view();
}

std::string_view SourceManager::text(FileId file) const {
  return file < files.size() ? std::string_view(files[file]->text) : std::string_view();
}

std::string_view SourceManager::text(SourceRange range) const {
  std::string_view all = text(range.file);
  if (range.begin > range.end || range.end > all.size())
    return {};
  return all.substr(range.begin, range.end - range.begin);
}

SourceRange SourceManager::line(FileId file, uint32_t offset) const {
  if (file >= files.size())
    return {};
  const File &f = *files[file];
  auto next = std::upper_bound(f.lineStarts.begin(), f.lineStarts.end(), offset);
  uint32_t begin = *(next - 1);
  uint32_t end = next == f.lineStarts.end() ? uint32_t(f.text.size()) : *next - 1;
  if (end > begin && f.text[end - 1] == '\r')
    --end;
  return {file, begin, end};
}

LineColumn SourceManager::lineColumn(FileId file, uint32_t offset) const {
  if (file >= files.size())
    return {};
  const File &f = *files[file];
  offset = std::min<uint32_t>(offset, uint32_t(f.text.size()));
  auto next = std::upper_bound(f.lineStarts.begin(), f.lineStarts.end(), offset);
  LineColumn position{unsigned(next - f.lineStarts.begin()), 1};
  for (uint32_t i = *(next - 1); i < offset; ++i)
    position.column += (f.text[i] & 0xC0) != 0x80; // continuation bytes belong to the one before
  return position;
}

} // namespace moac
