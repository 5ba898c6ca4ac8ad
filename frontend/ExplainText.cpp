// Explanations as text and as JSON; see Explain.h.
#include "frontend/Explain.h"
#include "frontend/Glyphs.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace moac {
namespace {
void indent(std::string &out, std::string_view text) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    out += "  " + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Characters, not bytes: glyphs have several of these.
size_t widthOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// A table: first columns padded to one width.
std::string padded(const std::string &text, size_t width) {
  size_t own = widthOf(text);
  return text + std::string(width > own ? width - own : 0, ' ');
}

template <class List, class Name> size_t widest(const List &list, Name name) {
  size_t width = 0;
  for (const auto &entry : list)
    width = std::max(width, widthOf(name(entry)));
  return width;
}

/// `  15:26  transpose  <M P N Q>  of <M N P Q>`, for each operation.
void shapeLines(std::string &out, const Explanation &e, bool glyphs) {
  auto place = [](const Explanation::ShapeStep &s) { return fmt::format("{}:{}", s.place.line, s.place.column); };
  auto word = [&](const Explanation::ShapeStep &s) { return glyphs ? withGlyphs(s.word) : s.word; };
  size_t places = widest(e.shapePass, place);
  size_t words = widest(e.shapePass, word);
  size_t shapes = widest(e.shapePass, [](const auto &s) -> const std::string & { return s.shape; });
  for (const Explanation::ShapeStep &s : e.shapePass) {
    out += fmt::format("  {}  {}  {}", padded(place(s), places), padded(word(s), words),
                       s.operands.empty() ? s.shape : padded(s.shape, shapes));
    for (size_t i = 0; i < s.operands.size(); ++i)
      out += (i ? ", " : "  of ") + s.operands[i];
    out += "\n";
  }
}

void lawLines(std::string &out, const Explanation &e, bool glyphs) {
  for (const Explanation::Law &law : e.laws) {
    std::string equation = glyphs ? withGlyphs(law.equation) : law.equation;
    out += fmt::format("  {} {}: {}\n", law.id, law.word, equation);
    if (law.place.line == 0)
      continue;
    std::string where = fmt::format("    {}:{}:{}: ", law.place.file, law.place.line, law.place.column);
    // The caret stands below the character it means, tabs kept.
    std::string blank(where.size(), ' ');
    unsigned column = 1;
    for (size_t i = 0; i < law.place.text.size() && column < law.place.column; ++i) {
      if ((law.place.text[i] & 0xC0) == 0x80)
        continue;
      blank += law.place.text[i] == '\t' ? '\t' : ' ';
      ++column;
    }
    out += where + law.place.text + "\n" + blank + "^\n";
  }
}
} // namespace

std::string withGlyphs(const std::string &equation) {
  std::string out, word;
  auto flush = [&] {
    out += word == "gamma" ? "γ" : word == "rho" ? "ρ" : std::string(glyphFor(word));
    word.clear();
  };
  for (char c : equation) {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    flush();
    out += c;
  }
  flush();
  return out;
}

std::string explanationText(const Explanation &e, bool glyphs) {
  std::string out = "kernel " + e.kernel + "\n\nshapes\n";
  size_t names = widest(e.shapes, [](const auto &s) -> const std::string & { return s.name; });
  size_t shapes = widest(e.shapes, [](const auto &s) -> const std::string & { return s.shape; });
  for (const Explanation::Shape &s : e.shapes)
    out += fmt::format("  {}  {}  {} {}\n", padded(s.name, names), padded(s.shape, shapes), s.type, s.role);
  if (!e.shapePass.empty())
    out += "\nshape pass\n";
  shapeLines(out, e, glyphs);
  out += "\nchecked at entry\n";
  for (const Explanation::Requirement &r : e.requirements)
    out += fmt::format("  {}  (else: {})\n", r.text, r.status);
  out += e.requirements.empty() ? "  nothing beyond the extents\n" : "";
  out += "\nchecked while running\n";
  for (const std::string &check : e.checks)
    out += "  " + check + "\n";
  out += e.checks.empty() ? "  nothing\n" : "";
  out += "\nlaws\n";
  lawLines(out, e, glyphs);
  out += e.laws.empty() ? "  none: every read is full as it is written\n" : "";
  out += "\nDNF\n";
  for (const Explanation::Stage &s : e.stages)
    out += "  " + s.formula + "\n";
  out += "\nstages\n";
  size_t stages = widest(e.stages, [](const auto &s) -> const std::string & { return s.name; });
  for (const Explanation::Stage &s : e.stages) {
    out += fmt::format("  {}  {} {}\n", padded(s.name, stages), s.shape, s.type);
    for (const Explanation::Decision &d : e.decisions)
      if (d.stage == s.name)
        out += "    " + d.verdict + "\n";
  }
  out += "\nschedule " + e.kernel + " for cpu {\n" + e.schedule + "}\n\nONF\n";
  indent(out, e.loops);
  return out;
}

std::string explanationJson(const Explanation &e) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::json::OStream j(stream, 2);
  auto list = [&](const char *name, const auto &entries, auto each) {
    j.attributeArray(name, [&] {
      for (const auto &entry : entries)
        j.object([&] { each(entry); });
    });
  };
  j.object([&] {
    j.attribute("kernel", e.kernel);
    list("shapes", e.shapes, [&](const Explanation::Shape &s) {
      j.attribute("name", s.name), j.attribute("role", s.role), j.attribute("shape", s.shape), j.attribute("type", s.type);
    });
    list("shape_pass", e.shapePass, [&](const Explanation::ShapeStep &s) {
      j.attribute("word", s.word), j.attribute("shape", s.shape);
      j.attributeArray("operands", [&] {
        for (const std::string &operand : s.operands)
          j.value(operand);
      });
      j.attribute("line", s.place.line), j.attribute("column", s.place.column);
    });
    list("requirements", e.requirements, [&](const Explanation::Requirement &r) {
      j.attribute("text", r.text), j.attribute("status", r.status);
    });
    j.attributeArray("checks", [&] {
      for (const std::string &check : e.checks)
        j.value(check);
    });
    list("laws", e.laws, [&](const Explanation::Law &law) {
      j.attribute("id", law.id), j.attribute("word", law.word), j.attribute("equation", law.equation);
      if (law.place.line) {
        j.attribute("file", law.place.file), j.attribute("line", law.place.line);
        j.attribute("column", law.place.column), j.attribute("text", law.place.text);
      }
    });
    list("stages", e.stages, [&](const Explanation::Stage &s) {
      j.attribute("name", s.name), j.attribute("shape", s.shape), j.attribute("type", s.type), j.attribute("formula", s.formula);
      for (const Explanation::Decision &d : e.decisions)
        if (d.stage == s.name)
          j.attribute("decision", d.verdict);
    });
    j.attribute("schedule", e.schedule);
    j.attribute("onf", e.loops);
  });
  return out;
}
} // namespace moac
