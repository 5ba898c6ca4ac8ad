// The command `moac litmus`: reads files, decides each program under each model asked for, compares
// with the expectations and prints. One table line per program and model, with what the witness
// shows.
#include "runtime/model/Litmus.h"
#include "runtime/model/Report.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>

namespace moac::model {
namespace {

constexpr std::string_view usage =
    "usage: moac litmus FILE|DIR... [--model paper|c11|c11q|comid] [--json | --dot] [--witness] "
    "[--limit SECONDS]\n";

constexpr std::string_view help =
    "Decides by the SHMEM memory model whether the weak outcomes of litmus programs are possible.\n"
    "  --model M        check only the expectations of model M (also M+ret-lco)\n"
    "  --witness        print the execution behind each verdict\n"
    "  --dot            draw it, for Graphviz\n"
    "  --json           verdicts and witnesses for programs\n"
    "  --limit SECONDS  give up on a program after so long; 10 unless told\n"
    "Exit code: 0 every expectation holds, 1 one does not or a file is wrong, 2 wrong usage.\n"
    "The format and the model: runtime/model/Litmus.md\n";

struct Options {
  std::vector<std::string> inputs;
  std::optional<Model> model;
  bool json = false, dot = false, witness = false, help = false;
  double limit = 10;
};

struct Counts {
  int programs = 0, verdicts = 0, mayBlock = 0, unexpected = 0, errors = 0;
  std::array<int, 8> ofKind = {};
};

bool parseOptions(const std::vector<std::string> &args, Options &options, std::ostream &err) {
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string &arg = args[i];
    bool isModel = arg == "--model" || arg.starts_with("--model=");
    if (isModel) {
      std::string name = arg == "--model" ? (i + 1 < args.size() ? args[++i] : "") : arg.substr(8);
      options.model = parseModel(name);
      if (!options.model) {
        err << "error: no model '" << name << "'"
            << suggestion(name, {"paper", "c11", "c11q", "comid"})
            << "; there are paper, c11, c11q and comid, each also with +ret-lco\n"
            << usage;
        return false;
      }
    } else if (arg == "--limit") {
      char *end = nullptr;
      const char *number = i + 1 < args.size() ? args[++i].c_str() : "";
      options.limit = std::strtod(number, &end);
      if (*number == '\0' || *end != '\0' || !(options.limit > 0)) {
        err << "error: --limit wants a number of seconds\n" << usage;
        return false;
      }
    } else if (arg == "--help" || arg == "-h") {
      options.help = true;
    } else if (arg == "--json") {
      options.json = true;
    } else if (arg == "--dot") {
      options.dot = true;
    } else if (arg == "--witness") {
      options.witness = true;
    } else if (arg.starts_with("-")) {
      err << "error: unknown option '" << arg << "'"
          << suggestion(arg, {"--model", "--json", "--dot", "--witness", "--limit", "--help"})
          << "\n"
          << usage;
      return false;
    } else {
      options.inputs.push_back(arg);
    }
  }
  if (options.json && options.dot) {
    err << "error: --json and --dot exclude each other\n" << usage;
    return false;
  }
  if (options.inputs.empty() && !options.help)
    err << "error: no input\n" << usage;
  return options.help || !options.inputs.empty();
}

// The .litmus files of a folder in the order of their names, or the file itself.
std::vector<std::string> filesOf(const std::string &input) {
  std::error_code code;
  if (!std::filesystem::is_directory(input, code))
    return {input};
  std::vector<std::string> files;
  for (std::filesystem::recursive_directory_iterator at(input, code), end; !code && at != end;
       at.increment(code))
    if (at->path().extension() == ".litmus")
      files.push_back(at->path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class Runner {
public:
  Runner(const Options &options, std::ostream &out, std::ostream &err)
      : options(options), out(out), err(err) {}

  int run() {
    if (options.json)
      out << "{\"programs\":[";
    for (const std::string &input : options.inputs) {
      int before = counts.programs + counts.errors;
      for (const std::string &file : filesOf(input))
        runFile(file);
      if (counts.programs + counts.errors == before)
        report(input + ": error: no litmus program found");
    }
    finish();
    return counts.unexpected == 0 && counts.errors == 0 ? 0 : 1;
  }

private:
  void report(const std::string &message) {
    ++counts.errors;
    err << message << "\n";
  }

  void runFile(const std::string &file) {
    std::ifstream in(file);
    if (!in || in.peek() == std::ifstream::traits_type::eof()) { // an empty file is none to read
      if (!in.is_open() || in.bad())
        report(file + ": error: cannot be read");
      return;
    }
    std::stringstream text;
    text << in.rdbuf();
    content = text.str();
    std::optional<SourceError> error;
    for (const Program &program : parseLitmus(content, file, error))
      runProgram(program);
    if (error)
      report(error->str());
  }

  // The expectations to check; without any, the paper's verdict (or the asked model's) is only
  // printed.
  void runProgram(const Program &program) {
    std::vector<std::pair<Model, std::optional<VerdictKind>>> runs;
    for (const Expectation &expectation : program.expectations)
      if (expectation.verdict != VerdictKind::MayBlock &&
          (!options.model || *options.model == expectation.model))
        runs.emplace_back(expectation.model, expectation.verdict);
    if (runs.empty() && (options.model || program.expectations.empty()))
      runs.emplace_back(options.model.value_or(Model{}), std::nullopt);
    if (options.json)
      out << (counts.programs ? "," : "") << "\n{\"name\":" << jsonString(program.name)
          << ",\"file\":" << jsonString(program.file) << ",\"line\":" << program.line
          << ",\"verdicts\":[";
    ++counts.programs;
    bool first = true;
    for (auto &[model, expected] : runs) {
      runModel(program, model, expected, first);
      first = false;
    }
    if (options.json)
      out << "]}";
  }

  void runModel(const Program &program, const Model &model, std::optional<VerdictKind> expected,
                bool first) {
    Verdict verdict = decide(program, model, options.limit);
    if (verdict.error) {
      quoteLine(*verdict.error, content);
      return report(verdict.error->str());
    }
    if (verdict.kind == VerdictKind::Forbidden || verdict.kind == VerdictKind::Holds)
      verdict.witness = explainForbidden(program, model);
    ++counts.verdicts;
    ++counts.ofKind[static_cast<size_t>(verdict.kind)];
    bool good = !expected || *expected == verdict.kind;
    counts.unexpected += !good;
    if (expected)
      checkBlocking(program, model, verdict);
    if (options.json)
      return printJson(program, model, verdict, expected, first);
    if (options.dot) {
      out << toDot(program, model, verdict);
      return;
    }
    out << program.name << "  " << modelName(model) << " " << verdictName(verdict.kind);
    if (!good)
      out << " (expected " << verdictName(*expected) << ")";
    out << "  [" << verdict.candidates << " candidates, " << verdict.consistent << " consistent]  "
        << summarize(program, verdict) << "\n";
    if (verdict.lost)
      out << program.name << "  " << modelName(model) << " may-block  " << verdict.lost->text
          << "\n";
    if (options.witness)
      out << describe(verdict);
    if (!good)
      err << program.file << ":" << program.line << ": error: " << program.name << ": "
          << modelName(model) << " gives " << verdictName(verdict.kind) << ", expected "
          << verdictName(*expected) << "\n";
  }

  // A program that may block must say so, and only such a one may.
  void checkBlocking(const Program &program, const Model &model, const Verdict &verdict) {
    bool announced = std::any_of(program.expectations.begin(), program.expectations.end(),
                                 [&](const Expectation &e) {
                                   return e.model == model && e.verdict == VerdictKind::MayBlock;
                                 });
    counts.mayBlock += verdict.lost.has_value();
    if (announced == verdict.lost.has_value())
      return;
    ++counts.unexpected;
    err << program.file << ":" << program.line << ": error: " << program.name << ": "
        << modelName(model) << (announced ? " cannot block, expected may-block" : " may block: ")
        << (announced ? "" : verdict.lost->text) << "\n";
  }

  void printJson(const Program &program, const Model &model, const Verdict &verdict,
                 std::optional<VerdictKind> expected, bool first) {
    out << (first ? "" : ",") << "\n  {\"model\":" << jsonString(modelName(model))
        << ",\"verdict\":" << jsonString(verdictName(verdict.kind));
    if (expected)
      out << ",\"expected\":" << jsonString(verdictName(*expected));
    out << ",\"candidates\":" << verdict.candidates << ",\"consistent\":" << verdict.consistent
        << ",\"witness\":" << jsonString(summarize(program, verdict));
    if (verdict.lost)
      out << ",\"may_block\":" << jsonString(verdict.lost->text);
    out << "}";
  }

  void finish() {
    std::ostringstream line;
    line << counts.programs << " programs, " << counts.verdicts << " verdicts:";
    for (size_t kind = 0; kind < counts.ofKind.size(); ++kind)
      if (counts.ofKind[kind])
        line << " " << counts.ofKind[kind] << " " << verdictName(static_cast<VerdictKind>(kind))
             << ",";
    if (counts.mayBlock)
      line << " " << counts.mayBlock << " may-block,";
    line << " " << counts.unexpected << " unexpected, " << counts.errors << " errors";
    if (options.json)
      out << "],\n\"summary\":" << jsonString(line.str()) << "}\n";
    else
      out << (options.dot ? "// " : "") << line.str() << "\n";
  }

  const Options &options;
  std::ostream &out, &err;
  std::string content; // of the file that is being read
  Counts counts;
};

} // namespace

int litmusMain(const std::vector<std::string> &args, std::ostream &out, std::ostream &err) {
  Options options;
  if (!parseOptions(args, options, err))
    return 2;
  if (options.help)
    return out << usage << help, 0;
  return Runner(options, out, err).run();
}

} // namespace moac::model
