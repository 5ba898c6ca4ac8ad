// Random small litmus programs for the property tests: two or three PEs, two places, every kind of
// statement that orders or races. Data and synchronising writes write different values, since a trace
// knows by its value alone whose write a wait has seen.
#pragma once

#include "runtime/model/Program.h"

#include <gtest/gtest.h>
#include <random>

namespace moac::model::test {

using Random = std::mt19937;

inline std::string randomStatement(Random &random, int &registers, int pes) {
  auto pe = [&] { return "@" + std::to_string(random() % pes); };
  const char *place = random() % 2 ? "x" : "y";
  std::string reg = "r" + std::to_string(registers++);
  switch (random() % 15) {
  case 0:
    return std::string("put ") + place + pe() + ", s";
  case 1:
    return std::string("put_nbi ") + place + pe() + ", s";
  case 2:
    return std::string("get ") + "d" + std::to_string(registers) + ", " + place + pe();
  case 3:
  case 4:
    return std::string("set ") + place + pe() + ", " + std::to_string(random() % 2 + 1);
  case 5:
  case 6:
    return "fetch " + reg + ", " + place + pe();
  case 7:
    return "finc " + reg + ", " + place + pe();
  case 8:
    return std::string("wait ") + place + " != 0";
  case 9:
    return std::string("st.rel ") + place + pe() + " = 5";
  case 10:
    return "ld.acq " + reg + " = " + place + pe();
  case 11:
    return std::string("put_signal ") + (place[0] == 'x' ? "y" : "x") + "@1, s, z = 1";
  case 12:
    return std::string("put_signal_nbi ") + place + "@1, s, z += 1";
  case 13:
    return std::string("wait z >= 1");
  default:
    return std::string("st ") + place + " = 3";
  }
}

// The communication id of a statement: none, one of two siblings, or one below the first.
inline std::string randomId(Random &random) {
  static const char *ids[] = {"", "", " with com=C1", " with com=C1", " with com=C2", " with com=C3"};
  return ids[random() % 6];
}

// What all PEs call together behind their first statement, if anything.
inline std::string randomMeeting(unsigned seed) {
  static const char *calls[] = {"barrier", "sync", "broadcast x, s, 0", "reduce y, s", "fcollect all, s", "alltoall all, part"};
  Random random(seed);
  unsigned which = random() % 12;
  return which < 6 ? std::string(" ") + calls[which] + "\n" : "";
}

// A program with `between` after every statement; the same random numbers give the same statements.
inline std::string randomProgram(unsigned seed, const std::string &between, bool withIds = false) {
  Random random(seed), idRandom(seed);
  auto id = [&] { return withIds ? randomId(idRandom) : std::string(); };
  int pes = 2 + random() % 2, registers = 0;
  std::string text = "litmus random\n pes " + std::to_string(pes) + "; init s = 4, x = 0, y = 0" + (withIds ? "; com C1, C2, C3 under C1" : "") + "\n";
  for (int pe = 0; pe < pes; ++pe) {
    text += "PE" + std::to_string(pe) + ":\n";
    for (int i = 0, n = 1 + random() % 2 + (pes == 2); i < n; ++i) {
      std::string statement = randomStatement(random, registers, pes);
      bool ordered = random() % 3 == 0, full = random() % 2;
      text += " " + statement + id() + "\n" + (ordered ? (full ? " quiet" : " fence") + id() + "\n" : "") + between;
      text += i == 0 ? randomMeeting(seed) : "";
    }
  }
  static const char *conditions[] = {"x@0 == 0", "x@1 == 1", "y@1 == 2", "x@0 == y@1"};
  return text + "exists " + conditions[random() % 4] + "\n";
}

inline Program parseOne(const std::string &text) {
  std::optional<SourceError> error;
  auto programs = parseLitmus(text, "random", error);
  EXPECT_FALSE(error) << error->str() << "\n" << text;
  return programs.at(0);
}

} // namespace moac::model::test
