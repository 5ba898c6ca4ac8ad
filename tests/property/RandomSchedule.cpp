// Growing schedules; see RandomSchedule.h.
#include "tests/property/RandomSchedule.h"

#include "frontend/Compiler.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <unistd.h>

using namespace moac;
using namespace moac::property;

namespace {
std::string messagesOf(const std::string &text, bool exact) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("moac-schedule-" + std::to_string(getpid()) + ".moa");
  std::ofstream(path) << text;
  LoadOptions load;
  load.fastOrder = exact;
  const std::unique_ptr<Program> program = Program::load(path.string(), load);
  std::filesystem::remove(path);
  return program->hasErrors() ? program->diagnostics() : "";
}

/// The words behind `begin` in a help text, up to a semicolon or the end of the line.
std::vector<std::string> listed(const std::string &messages, const std::string &begin) {
  std::vector<std::string> words;
  const size_t at = messages.find(begin);
  if (at == std::string::npos)
    return words;
  const size_t end = messages.find_first_of(";\n", at);
  std::istringstream rest(messages.substr(at + begin.size(), end - at - begin.size()));
  for (std::string word; rest >> word;)
    words.push_back(word.back() == ',' ? word.substr(0, word.size() - 1) : word);
  return words;
}

class Grower {
public:
  Grower(ScheduledProgram &scheduled, Random &random) : scheduled(scheduled), random(random) {
    loops = listed(asked("lanes no_such_loop"), "the loops are ");
    for (const Definition &definition : scheduled.program.definitions) // T1[i: M, j: N]: T1.i, T1.j
      for (size_t open = definition.left.find('['), at = open; at != std::string::npos;
           at = definition.left.find(',', at + 1))
        loops.push_back(definition.left.substr(0, open) + "." + definition.left.substr(at + (at == open ? 1 : 2), 1));
    values = listed(asked("place no_such_value store"), "its values are ");
    arrays = values;
    for (const char *input : {"A", "v", "w"})
      arrays.emplace_back(input);
    const std::string text = scheduled.program.text();
    const std::regex reduction(R"(\[(k\d+)[ \],<])"), read(R"(\b(\w+)\[(\w+)(?:, (\w+))?\])");
    for (std::sregex_iterator at(text.begin(), text.end(), reduction), end; at != end; ++at)
      reduced.push_back((*at)[1]);
    for (std::sregex_iterator at(text.begin(), text.end(), read), end; at != end; ++at) // A[i, k0]: copies with axes k0, i
      if (std::ranges::find(arrays, (*at)[1].str()) != arrays.end())
        reads.push_back({(*at)[1], (*at)[3].matched ? (*at)[3].str() + ", " + (*at)[2].str() : (*at)[2].str()});
  }

  void grow(std::string &strange) {
    constexpr unsigned attempts = 8;
    if (!loops.empty() && !values.empty() && random.below(2) == 0)
      tile(strange);
    for (unsigned attempt = 0; attempt < attempts && !loops.empty(); ++attempt) {
      std::vector<std::string> made;
      const std::string text = directive(made);
      add(text, made, strange);
    }
  }

private:
  /// Keeps a directive if it is legal, with the loops that it made.
  bool add(const std::string &text, const std::vector<std::string> &made, std::string &strange) {
    scheduled.directives.push_back(text);
    const std::string messages = messagesOf(scheduled.text(), scheduled.program.exact);
    if (messages.empty()) {
      loops.insert(loops.end(), made.begin(), made.end());
      return true;
    }
    scheduled.directives.pop_back();
    const bool refusal = messages.find("[cannot-") != std::string::npos ||
                         messages.find("[unknown-loop]") != std::string::npos;
    if (!refusal && strange.empty())
      strange = messages;
    return false;
  }

  /// A value inside the tiles of another.
  void tile(std::string &strange) {
    const std::string stem = "x" + std::to_string(++count), outer = stem + "t";
    if (add("lift " + pick(loops) + " by " + std::to_string(2 + random.below(5)) + " as " + outer +
                ", " + stem + "n",
            {outer, stem + "n"}, strange))
      add("place " + pick(values) + " at " + outer, {}, strange);
  }

  std::string asked(const std::string &directive) {
    ScheduledProgram question = scheduled;
    question.directives = {directive};
    return messagesOf(question.text(), question.program.exact);
  }

  const std::string &pick(const std::vector<std::string> &from) {
    return from[static_cast<size_t>(random.below(static_cast<int64_t>(from.size())))];
  }

  std::string some() {
    std::vector<std::string> chosen;
    for (int64_t count = 1 + random.below(4); count > 0; --count)
      if (const std::string &loop = pick(loops); std::ranges::find(chosen, loop) == chosen.end())
        chosen.push_back(loop);
    std::string text;
    for (const std::string &loop : chosen)
      text += (text.empty() ? "" : ", ") + loop;
    return text;
  }

  std::string directive(std::vector<std::string> &made) {
    const std::string number = std::to_string(1 + random.below(6));
    switch (random.below(14)) {
    case 0:
    case 1:
    case 2: {
      const std::string loop = pick(loops), stem = "x" + std::to_string(++count);
      made = {stem + "t", stem + "n"};
      return "lift " + loop + " by " + number + (random.below(3) == 0 ? " cyclic" : "") + " as " +
             made[0] + ", " + made[1];
    }
    case 3:
      return "order " + some();
    case 4:
      return "parallel " + some();
    case 5:
      return (random.below(2) == 0 ? "lanes " : "unroll ") + pick(loops);
    case 6:
      return "place " + pick(values) + " at " + pick(loops);
    case 7:
      if (!reads.empty()) {
        const auto &[array, axes] = reads[static_cast<size_t>(random.below(static_cast<int64_t>(reads.size())))];
        return "pack " + array + (random.below(2) == 0 ? "" : " at " + pick(loops)) + " as [" + axes + "]";
      }
      [[fallthrough]];
    case 8:
      return "pack " + pick(arrays) + (random.below(3) == 0 ? "" : " at " + pick(loops)) + " as [" +
             some() + "]";
    case 9:
    case 10:
    case 12:
      return "reduce " + pick(reduced.empty() || random.below(8) == 0 ? loops : reduced) + (std::array{" : owner", " : private", " : recompute", " : atomic"})[static_cast<size_t>(random.below(4))];
    case 11:
      return random.below(2) == 0 ? "online " + pick(loops) : "tile " + pick(loops) + " by " + number;
    default:
      return "place " + pick(values) + (random.below(2) == 0 ? " inline" : " store");
    }
  }

  ScheduledProgram &scheduled;
  Random &random;
  std::vector<std::string> loops, values, arrays, reduced; ///< the last: indices of reductions
  std::vector<std::pair<std::string, std::string>> reads;  ///< arrays at plain indices, turned
  unsigned count = 0;
};
} // namespace

std::string ScheduledProgram::text() const {
  std::string text = program.text() + "\nschedule " + program.name + " for cpu {\n";
  for (const std::string &directive : directives)
    text += "  " + directive + "\n";
  return text + "}\n";
}

bool ScheduledProgram::recomputes() const {
  return std::ranges::any_of(directives, [](const std::string &directive) {
    return directive.find(" at ") != std::string::npos;
  });
}

ScheduledProgram moac::property::randomlyScheduled(RandomProgram program, Random &random,
                                                   std::string &strange) {
  ScheduledProgram scheduled{std::move(program), {}};
  Grower(scheduled, random).grow(strange);
  return scheduled;
}

std::vector<ScheduledProgram> moac::property::shrunk(const ScheduledProgram &scheduled) {
  std::vector<ScheduledProgram> result;
  for (size_t i = 0; i < scheduled.directives.size(); ++i) {
    result.push_back(scheduled);
    result.back().directives.erase(result.back().directives.begin() + static_cast<long>(i));
  }
  for (RandomProgram &smaller : shrunk(scheduled.program))
    result.push_back({std::move(smaller), scheduled.directives});
  return result;
}
