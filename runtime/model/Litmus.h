// Entry points of the commands `moac litmus` and `moac shmem-check`, for the driver and for the
// small test programs beside this library.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace moac::model {

/// `moac litmus FILE|DIR... [--model paper|c11|c11q|comid] [--json] [--dot] [--witness]`. `args`
/// excludes the command's name. Checks every program against its expectations. Returns 0 if all
/// hold, 1 if one does not or a file is wrong, 2 for a usage error. Text output ends with a line
/// that counts programs and verdicts.
int litmusMain(const std::vector<std::string> &args, std::ostream &out, std::ostream &err);

/// `moac shmem-check TRACE... [--json]`: checks recorded runs (files, or folders of files; see
/// Trace.md). Returns 0 if nothing is wrong, 1 if there are races, mismatched collectives or a
/// malformed trace, 2 for a usage error.
int shmemCheckMain(const std::vector<std::string> &args, std::ostream &out, std::ostream &err);

} // namespace moac::model
