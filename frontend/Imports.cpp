// Files and their imports; see Imports.h. Two paths to one file (links, `./`) are one file.
#include "frontend/Imports.h"
#include "frontend/Parser.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace moac {

namespace fs = std::filesystem;

namespace {
/// A file of the same folder whose name is like this one's, as help text; empty: none.
std::string similarFile(const fs::path &path) {
  constexpr size_t most = 1000; // of a folder are looked at
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end && names.size() < most;
       at.increment(error))
    if (at->path().extension() == ".moa")
      names.push_back(at->path().filename().string());
  std::ranges::sort(names); // the same suggestion everywhere
  return didYouMean(path.filename().string(), names);
}

class Loader {
public:
  Loader(std::span<const std::string> folders, SourceManager &sources, Diagnostics &diags)
      : folders(folders), sources(sources), diags(diags) {}

  std::vector<ast::File> load(const std::string &path) {
    if (!read(path, {}))
      return {};
    // Files are appended while their imports are followed.
    for (size_t i = 0; i < files.size(); ++i)
      for (size_t k = 0; k < files[i].imports.size(); ++k)
        follow(i, k);
    return std::move(files);
  }

private:
  static std::string identity(const fs::path &path) {
    std::error_code error;
    fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path.string() : canonical.string();
  }

  /// Reads one file; reports at `at` (the import, or no place for the main file) when it cannot be.
  bool read(const std::string &path, SourceRange at) {
    std::error_code error;
    std::ifstream in(path, std::ios::binary);
    if (fs::is_directory(path, error) || !in) {
      diags.report(diag::cannotRead, at, path).help(similarFile(path));
      return false;
    }
    std::string text(maxFileBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(in.gcount()));
    seen.insert(identity(path));
    FileId id = sources.add(path, std::move(text));
    files.push_back(parse(sources, id, diags));
    return true;
  }

  void follow(size_t file, size_t which) {
    const ast::Import import = files[file].imports[which];
    std::vector<fs::path> places;
    if (fs::path(import.path).is_absolute()) {
      places.push_back(import.path);
    } else {
      places.push_back(fs::path(sources.path(files[file].id)).parent_path() / import.path);
      for (const std::string &folder : folders)
        places.push_back(fs::path(folder) / import.path);
    }
    std::error_code error;
    for (const fs::path &place : places) {
      if (!fs::exists(place, error))
        continue;
      if (!seen.count(identity(place)))
        read(place.lexically_normal().string(), import.pathRange);
      return;
    }
    std::string help;
    for (size_t i = 0; i < places.size() && help.empty(); ++i)
      help = similarFile(places[i]);
    if (help.empty())
      help = folders.empty() ? "it is looked for beside this file; `-I folder` adds a place"
                             : "it is looked for beside this file, then in the folders given by -I";
    diags.report(diag::importNotFound, import.pathRange, import.path).help(std::move(help));
  }

  std::span<const std::string> folders;
  SourceManager &sources;
  Diagnostics &diags;
  std::vector<ast::File> files;
  std::set<std::string> seen;
};
} // namespace

std::vector<ast::File> loadFiles(const std::string &path, std::span<const std::string> folders,
                                 SourceManager &sources, Diagnostics &diags) {
  return Loader(folders, sources, diags).load(path);
}

} // namespace moac
