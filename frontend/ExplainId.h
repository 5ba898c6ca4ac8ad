// What `moac --explain ID` prints: a page for each message kind, operation, constraint and law.
//
// The texts stand where they are maintained: Messages.md for the kinds of Diagnostics.def,
// ir/Semantics.md for operations and constraint ids, passes/Laws.h for laws. Each of these is one
// entry of the table in ExplainId.cpp; a further source of ids is a further entry.
#ifndef MOAC_FRONTEND_EXPLAINID_H
#define MOAC_FRONTEND_EXPLAINID_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moac {

/// The page of `unknown-name`, `psi_c2`, `moa.psi` or `P7`; nothing when no source knows the id.
std::optional<std::string> explainId(std::string_view id);
/// Every id that has a page, by source.
std::vector<std::string> explainableIds();

} // namespace moac

#endif
