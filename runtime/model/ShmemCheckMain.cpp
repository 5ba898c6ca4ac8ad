// The command `moac shmem-check`: reads a trace, prints each race with both source lines and what
// is probably missing.
#include "runtime/model/Litmus.h"
#include "runtime/model/Report.h"
#include "runtime/model/TraceCheck.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <ostream>
#include <sstream>

namespace moac::model {
namespace {

constexpr std::string_view usage =
    "usage: moac shmem-check TRACE... [--model paper|comid] [--json] [--limit SECONDS]\n";
constexpr std::string_view help =
    "Reports accesses in traces of the SHMEM layer (files, or folders of them) that nothing "
    "orders.\n"
    "  --model M        paper, or comid: what communication ids do not bind is not ordered\n"
    "  --json           races and problems for programs\n"
    "  --limit SECONDS  give up after so long; 600 unless told\n"
    "Exit code: 0 nothing to report, 1 races, problems or a malformed trace, 2 wrong usage.\n"
    "The format: runtime/model/Trace.md\n";

bool readInput(const std::string &input, Trace &trace, std::ostream &err) {
  std::vector<std::string> files = {input};
  std::error_code code;
  if (std::filesystem::is_directory(input, code)) {
    files.clear();
    for (std::filesystem::directory_iterator at(input, code), end; !code && at != end;
         at.increment(code))
      if (at->is_regular_file(code))
        files.push_back(at->path().string());
    std::sort(files.begin(), files.end());
  }
  for (const std::string &file : files) {
    std::ifstream in(file);
    if (!in) {
      err << file << ": error: cannot be read\n";
      return false;
    }
    std::stringstream text;
    text << in.rdbuf();
    std::string content = text.str();
    if (auto error = readTrace(content, file, trace)) {
      quoteLine(*error, content);
      err << error->str() << "\n";
      return false;
    }
  }
  return true;
}

std::string accessText(const Trace &trace, int record, const ByteRange &range, bool stores) {
  const Record &r = trace.records[record];
  std::string name = r.token ? trace.words[r.token] : std::string(recordName(r.kind));
  return name + (r.nonBlocking ? "_nbi" : "") + " by PE " + std::to_string(r.pe) +
         (stores ? " writes " : " reads ") + rangeText(trace, range);
}

void printText(const Trace &trace, const TraceReport &report, std::ostream &out) {
  for (const std::string &problem : report.problems)
    out << problem << "\n";
  for (const Finding &f : report.findings) {
    out << trace.words[trace.records[f.second].position]
        << ": error: race: " << accessText(trace, f.second, f.secondRange, f.secondStores);
    if (f.count > 1)
      out << " (and " << f.count - 1 << " more like this)";
    out << "\n"
        << trace.words[trace.records[f.first].position] << ": note: not ordered with "
        << accessText(trace, f.first, f.firstRange, f.firstStores) << "\nhelp: " << advice(trace, f)
        << "\n";
  }
}

void printJson(const Trace &trace, const TraceReport &report, const std::string &summary,
               std::ostream &out) {
  out << "{\"races\":[";
  const char *separator = "\n";
  for (const Finding &f : report.findings) {
    auto side = [&](const char *name, int record, const ByteRange &range, bool stores) {
      out << jsonString(name)
          << ":{\"at\":" << jsonString(trace.words[trace.records[record].position])
          << ",\"access\":" << jsonString(accessText(trace, record, range, stores)) << "}";
    };
    out << separator << "{";
    side("first", f.first, f.firstRange, f.firstStores);
    out << ",";
    side("second", f.second, f.secondRange, f.secondStores);
    out << ",\"count\":" << f.count << ",\"help\":" << jsonString(advice(trace, f)) << "}";
    separator = ",\n";
  }
  out << "],\n\"problems\":[";
  for (size_t i = 0; i < report.problems.size(); ++i)
    out << (i ? "," : "") << jsonString(report.problems[i]);
  out << "],\n\"summary\":" << jsonString(summary) << "}\n";
}

} // namespace

namespace {

int check(const std::vector<std::string> &args, std::ostream &out, std::ostream &err) {
  bool json = false;
  double limit = 600;
  std::optional<std::string> model;
  std::vector<std::string> inputs;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string &arg = args[i];
    if (arg == "--json")
      json = true;
    else if (arg == "--model" && i + 1 < args.size())
      model = args[++i];
    else if (arg.starts_with("--model="))
      model = arg.substr(std::string_view("--model=").size());
    else if (arg == "--limit") {
      char *end = nullptr;
      const char *number = i + 1 < args.size() ? args[++i].c_str() : "";
      limit = std::strtod(number, &end);
      if (*number == '\0' || *end != '\0' || !(limit > 0))
        return err << "error: --limit wants a number of seconds\n" << usage, 2;
    } else if (arg == "--help" || arg == "-h")
      return out << usage << help, 0;
    else if (arg.starts_with("-"))
      return err << "error: unknown option '" << arg << "'"
                 << suggestion(arg, {"--json", "--model", "--limit", "--help"}) << "\n"
                 << usage,
             2;
    else
      inputs.push_back(arg);
  }
  if (model && *model != "paper" && *model != "comid")
    return err << "error: traces are judged by model paper or comid, not '" << *model << "'\n"
               << usage,
           2;
  if (inputs.empty())
    return err << "error: no trace\n" << usage, 2;
  Trace trace;
  for (const std::string &input : inputs)
    if (!readInput(input, trace, err))
      return 1;
  if (auto error = validateTrace(trace, inputs.front()))
    return err << error->file << ": error: " << error->message << "\n", 1;
  TraceReport report =
      checkTrace(trace, model == "comid" ? TraceModel::ComId : TraceModel::Paper, limit);
  std::ostringstream summary;
  summary << trace.records.size() << " records, " << report.accesses
          << " accesses: " << report.findings.size() << " races, " << report.problems.size()
          << " problems";
  if (json)
    printJson(trace, report, summary.str(), out);
  else
    printText(trace, report, out), out << summary.str() << "\n";
  return report.findings.empty() && report.problems.empty() ? 0 : 1;
}

} // namespace

int shmemCheckMain(const std::vector<std::string> &args, std::ostream &out, std::ostream &err) {
  try {
    return check(args, out, err);
  } catch (const std::bad_alloc &) { // what each PE knows of each other one grows with their square
    return err << "error: not enough memory for this trace: trace a shorter run or fewer PEs\n", 1;
  }
}

} // namespace moac::model
