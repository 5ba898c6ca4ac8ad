// Collecting, ordering and spelling suggestions; RenderDiagnostics.cpp turns messages into text.
#include "frontend/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace moac {
namespace {

constexpr DiagInfo infos[] = {
#define MOAC_DIAG(ID, SEVERITY, FORMAT, HELP) {#ID, Severity::SEVERITY, FORMAT, HELP},
#include "frontend/Diagnostics.def"
};

/// Replaces each `{}` of `format` by the next argument.
std::string substitute(std::string_view format, std::initializer_list<DiagArg> args) {
  std::string text;
  auto next = args.begin();
  while (!format.empty()) {
    size_t hole = format.find("{}");
    text += format.substr(0, hole);
    if (hole == format.npos)
      break;
    if (next != args.end())
      text += (next++)->text();
    format.remove_prefix(hole + 2);
  }
  return text;
}

auto sortKey(const Diagnostic &d) {
  return std::tie(d.range.file, d.range.begin, d.range.end, d.id, d.message);
}

} // namespace

const DiagInfo &diagInfo(DiagId id) { return infos[int(id)]; }
std::span<const DiagInfo> allDiagInfos() { return infos; }

std::string diagName(DiagId id) {
  std::string name;
  for (char c : diagInfo(id).id) {
    if (c >= 'A' && c <= 'Z')
      name += {'-', char(c - 'A' + 'a')};
    else
      name += c;
  }
  return name;
}

DiagnosticBuilder &DiagnosticBuilder::note(SourceRange range, std::string text) {
  if (diagnostic)
    diagnostic->notes.push_back({range, std::move(text)});
  return *this;
}

DiagnosticBuilder &DiagnosticBuilder::help(std::string text) {
  if (diagnostic && !text.empty())
    diagnostic->help = std::move(text);
  return *this;
}

DiagnosticBuilder Diagnostics::add(DiagId id, SourceRange range,
                                   std::initializer_list<DiagArg> args) {
  const DiagInfo &info = diagInfo(id);
  if (info.severity == Severity::Error)
    ++errors;
  if (all.size() >= maxKept) {
    ++dropped;
    return DiagnosticBuilder(nullptr);
  }
  all.push_back(std::make_unique<Diagnostic>(
      Diagnostic{id, info.severity, range, substitute(info.format, args), {},
                 std::string(info.help)}));
  return DiagnosticBuilder(all.back().get());
}

bool Diagnostics::reported(DiagId id) const {
  return std::ranges::any_of(all, [id](const auto &message) { return message->id == id; });
}

std::vector<const Diagnostic *> Diagnostics::sorted() const {
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, [&](size_t a, size_t b) {
    auto keyA = sortKey(*all[a]), keyB = sortKey(*all[b]);
    return keyA == keyB ? a < b : keyA < keyB;
  });
  std::vector<const Diagnostic *> result;
  for (size_t index : order)
    if (result.empty() || sortKey(*result.back()) != sortKey(*all[index]))
      result.push_back(all[index].get());
  return result;
}

std::string_view nearest(std::string_view name, std::span<const std::string> candidates) {
  unsigned limit = name.size() <= 2 ? 1 : unsigned(name.size() + 2) / 3;
  const std::string *best = nullptr;
  for (const std::string &candidate : candidates) {
    if (candidate == name)
      continue;
    unsigned distance = llvm::StringRef(name).edit_distance(candidate, true, limit);
    if (std::ranges::is_permutation(name, candidate)) // letters out of order: one slip
      distance = 1;
    // A name all of whose letters would change is no suggestion, except for a change of case.
    bool unrelated = distance >= std::max(name.size(), candidate.size()) &&
                     !llvm::StringRef(name).equals_insensitive(candidate);
    if (distance > limit || unrelated || (best && distance == limit))
      continue;
    best = &candidate;
    limit = distance;
  }
  return best ? std::string_view(*best) : std::string_view();
}

std::string didYouMean(std::string_view name, std::span<const std::string> candidates) {
  std::string_view near = nearest(name, candidates);
  return near.empty() ? "" : "did you mean '" + std::string(near) + "'?";
}

} // namespace moac
