// `moac --explain`: every id has a page, and the programs on the pages of messages give what they
// claim. A new kind of message needs its section in frontend/Messages.md.
#include "frontend/Compiler.h"
#include "frontend/Diagnostics.h"
#include "frontend/EmbeddedTexts.h"
#include "frontend/ExplainId.h"
#include "passes/Laws.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace moac;

namespace {

/// Kinds that no program on a page can show: they are about bytes, sizes and files, or about what
/// this version lacks. tests/unit reaches each of them.
const std::set<std::string> withoutProgram = {
    "file-too-large",    "not-text",         "invalid-utf8",    "forbidden-character",
    "strange-blank",     "literal-too-long", "nested-too-deep", "chain-too-long",
    "operator-too-deep", "block-too-deep",   "cannot-read",     "import-not-found",
    "not-yet",           "too-complex"};

struct Snippet {
  std::string id, kind, text;
};

std::vector<Snippet> snippets() {
  std::vector<Snippet> out;
  std::istringstream page{std::string(messagesPage())};
  std::string id;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (!inside && line.compare(0, 4, "### ") == 0)
      id = line.substr(4);
    if (line.compare(0, 3, "```") == 0) {
      inside = !inside;
      if (inside)
        out.push_back({id, line.substr(line.rfind(' ') + 1), ""});
    } else if (inside) {
      out.back().text += line + "\n";
    }
  }
  return out;
}

std::string messagesOf(const std::string &text) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("moac-explain-" + std::to_string(getpid()) + ".moa");
  std::ofstream(path) << text;
  const std::string messages = Program::load(path.string(), {})->diagnostics();
  std::filesystem::remove(path);
  return messages;
}

/// The ids behind the errors and warnings of a text.
std::set<std::string> idsIn(const std::string &messages) {
  std::set<std::string> ids;
  std::istringstream in(messages);
  for (std::string line; std::getline(in, line);) {
    const bool heads = line.find(": error: ") != line.npos || line.find(": warning: ") != line.npos;
    if (heads && line.back() == ']')
      ids.insert(line.substr(line.rfind('[') + 1, line.size() - line.rfind('[') - 2));
  }
  return ids;
}

TEST(Explain, EveryIdHasAPage) {
  const std::vector<std::string> ids = explainableIds();
  EXPECT_GE(ids.size(), allDiagInfos().size() + lawTexts().size() + 60);
  for (const std::string &id : ids) {
    const std::optional<std::string> page = explainId(id);
    ASSERT_TRUE(page) << id << " has no page";
    EXPECT_GT(page->size(), id.size() + 20) << id;
  }
}

TEST(Explain, MessagesHaveNoOtherSections) {
  std::set<std::string> kinds;
  for (size_t i = 0; i < allDiagInfos().size(); ++i)
    kinds.insert(diagName(DiagId(i)));
  std::istringstream page{std::string(messagesPage())};
  for (std::string line; std::getline(page, line);)
    if (line.compare(0, 4, "### ") == 0)
      EXPECT_TRUE(kinds.count(line.substr(4))) << line << " is no kind of message";
}

TEST(Explain, ProgramsGiveTheMessagesTheyClaim) {
  std::set<std::string> shown = withoutProgram;
  for (const Snippet &snippet : snippets()) {
    const std::string messages = messagesOf(snippet.text);
    if (snippet.kind == "right") {
      EXPECT_EQ(messages, "") << snippet.id;
      continue;
    }
    EXPECT_EQ(snippet.kind, "wrong") << snippet.id;
    EXPECT_EQ(idsIn(messages), std::set<std::string>{snippet.id}) << snippet.text << messages;
    shown.insert(snippet.id);
  }
  for (size_t i = 0; i < allDiagInfos().size(); ++i)
    EXPECT_TRUE(shown.count(diagName(DiagId(i)))) << diagName(DiagId(i)) << " shows no program";
}

TEST(Explain, ConstraintsOfTheVerifiersHavePages) {
  std::set<std::string> ids;
  for (const char *file : {"/ir/MoaOps.cpp", "/ir/MoaTypes.cpp", "/ir/MoaStructureOps.cpp"}) {
    std::ostringstream text;
    text << std::ifstream(std::string(MOAC_SOURCE_DIR) + file).rdbuf();
    const std::string source = text.str();
    for (size_t at = source.find('['); at != source.npos; at = source.find('[', at + 1)) {
      const std::string id = source.substr(at + 1, source.find(']', at) - at - 1);
      if (id.find("_c") != id.npos &&
          id.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == id.npos)
        ids.insert(id);
    }
  }
  EXPECT_GE(ids.size(), 25u);
  for (const std::string &id : ids)
    EXPECT_TRUE(explainId(id)) << id;
}

TEST(Explain, IdsAreTakenAsMessagesShowThem) {
  EXPECT_EQ(explainId("[unknown-name]"), explainId("unknown-name"));
  EXPECT_NE(explainId("psi_c2")->find("checked"), std::string::npos);
  EXPECT_EQ(explainId("moa.psi"), explainId("psi_c1"));
  EXPECT_NE(explainId("unknown-name")->find("\n  wrong\n    kernel k("), std::string::npos);
  EXPECT_FALSE(explainId("nonsense"));
  EXPECT_FALSE(explainId(""));
}

TEST(Messages, TenMistakesGiveTenMessages) {
  const std::string messages =
      messagesOf(R"(kernel k(a: f64[N], b: f32[M], c: i64[N]) -> (o: f64[N], p: f64) {
  t[i] = b[i] * a[i]
  u[i] = aa[i]
  v[i] = sqr(a[i])
  w[i] = a[c[i]/2]
  x[i] = where(a[i], 1.0, 2.0)
  y[i] = a[i, 0]
  z[i] = c[i] / c[i]
  q[i] = exp(c[i])
  o[i] = f32(a[i])
  p = 1.0 + sum[i](a)
}
)");
  size_t errors = 0;
  for (size_t at = messages.find(": error: "); at != messages.npos;
       at = messages.find(": error: ", at + 1))
    ++errors;
  EXPECT_EQ(errors, 10u + (messages.find("extents-disagree") != messages.npos)) << messages;
}

TEST(Messages, NothingFollowsFromWhatIsReported) {
  const char *programs[] = {
      "kernel mm(A: f64[M, K], B: f64[K, N]) -> C: f64[M, N] { C[i, j] = A[i, k] * B[k, j] }",
      "kernel k(A: f64[M, K], B: f64[K, N]) -> C: f64[M, N] { C[i, j] = A[i, k] * B[k, j] }",
      "fn f(x) = x +\nkernel k(a: f64[N]) -> o: f64[N] { o = f(a) }",
      "kernal f(x: f64) -> y: f64 { y = x }\nkernel k(a: f64) -> o: f64 { o = f(a) }",
      "import \"nowhere.moa\"\nkernel k(a: f64) -> o: f64 { o = f(a) + g(a) }",
      "kernel k(a: f64[N]) -> o: f64[N] {\n  t = b\n  u = t + a\n  o[i] = u[i] + t[i]\n}",
  };
  for (const char *text : programs) {
    const std::string messages = messagesOf(text);
    EXPECT_NE(messages.find(": error: "), std::string::npos) << text;
    EXPECT_EQ(messages.find(": error: "), messages.rfind(": error: ")) << messages;
  }
}

TEST(Messages, SuggestionsForNamesWordsAndFiles) {
  EXPECT_NE(
      messagesOf("kernel k(query: f64) -> o: f64 { o = qeury }").find("did you mean 'query'?"),
      std::string::npos);
  EXPECT_NE(messagesOf("kernel k(a: f64) -> o: f64 { o = rsqr(a) }").find("did you mean 'rsqrt'?"),
            std::string::npos);
  EXPECT_NE(messagesOf("kernel k(a: f64[N]) -> o: f64 { o = red[maxx, i](a[i]) }")
                .find("did you mean 'max'?"),
            std::string::npos);
  const std::pair<const char *, const char *> remedies[] = {
      {"kernel k(a: f64[N]) -> o: f64 { o = sqr(a[0]) }", "did you mean 'sqrt'?"},
      {"kernel k(a: f64[Batch]) -> o: f64[Bacth] { o = a }", "did you mean 'Batch'?"},
      {"kernel k(a: f64[N]) -> out: f64[N] { uot = a }", "did you mean 'out' there?"},
      {"kernel norm(x: f64[N]) -> y: f64 { y = sum x }\n"
       "kernel k(A: f64[M, N]) -> o: f64[M] { o = (nrom omega<1>) A }", "did you mean 'norm'?"},
      {"kernel k(a: f64[N] layout cols) -> o: f64[N] { o = a }", "did you mean 'col'?"},
      {"kernel k(a: flaot) -> o: f64 { o = a }", "write 'f32'"},
      {"kernel k(a: f64[N]) -> o: f64 { o = avg(a) }", "`mean A`"},
      {"kernel k(A: f64[N, N]) -> o: f64[N, N] { o = A @ A }", "(+.*)"},
      {"kernel k(a: f64[99999999999999999999]) -> o: f64 { o = 1.0 }",
       "help: the largest integer is 9223372036854775807\n"},
  };
  for (const auto &[text, remedy] : remedies)
    EXPECT_NE(messagesOf(text).find(remedy), std::string::npos) << text << "\n" << messagesOf(text);
  EXPECT_NE(messagesOf("kernal k(a: f64) -> o: f64 { o = a }").find("did you mean 'kernel'?"),
            std::string::npos);
  const auto folder =
      std::filesystem::temp_directory_path() / ("moac-suggest-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "other.moa") << "fn f(x) = x\n";
  std::ofstream(folder / "main.moa") << "import \"othr.moa\"\n";
  EXPECT_NE(Program::load((folder / "main.moa").string(), {})
                ->diagnostics()
                .find("did you mean 'other.moa'?"),
            std::string::npos);
  EXPECT_NE(Program::load((folder / "mian.moa").string(), {})
                ->diagnostics()
                .find("did you mean 'main.moa'?"),
            std::string::npos);
  std::filesystem::remove_all(folder);
}

} // namespace
