//===- AdviceTest.cpp - forty wrong schedules and what was meant ----------===//
//
// Cases/NAME/wrong.hkt was written as users of other systems would, and
// meant.hkt as they would have it here; see README.md. What the first errors
// offer is done, and compared in bytes. Prints a table.
//
//===----------------------------------------------------------------------===//

#include "Follow.h"
#include "PlannedBytes.h"
#include "hocket/Frontend/OtherWords.h"
#include "test/Paths.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <sstream>

using namespace hocket;
using namespace hocket::advice;

static const std::string kCases = test::sourcePath("test/Advice/Cases");

static std::string textOf(const std::string &path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The last schedule of a file.
static frontend::ElaborateOptions optionsOf(const std::string &text) {
  frontend::ElaborateOptions options;
  std::stringstream lines(text);
  for (std::string line, word; std::getline(lines, line);) {
    std::stringstream words(line);
    if (words >> word && word == "schedule" && words >> word)
      options.schedule = word.substr(0, word.find('('));
  }
  return options;
}

/// What a rank computes: to do all of it everywhere would move nothing.
static double workOf(const std::string &path, const syntax::Texts &texts,
                     const frontend::ElaborateOptions &options) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  Compiler compiler(stream);
  if (!compiler.loadTexts(path, texts, options))
    return 0;
  placement::Outcome outcome = placement::judge(compiler.module());
  return outcome.cost ? outcome.cost->work : 0;
}

/// Each proposal of each error, not the first alone: it is read where it
/// stands.
static bool allParse(const std::string &path, const syntax::Texts &texts,
                     const frontend::ElaborateOptions &options) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  Compiler compiler(stream);
  bool isRead = compiler.loadTexts(path, texts, options);
  if (isRead)
    (void)compiler.runTo("placed");
  bool allAre = true;
  for (const ReportedError &error : compiler.errors())
    for (const syntax::Proposal &proposal : error.proposals) {
      Compiler changed(stream);
      allAre &=
          changed.loadTexts(path, applyEdits(compiler.texts(), proposal.edits),
                            options) ||
          !isRead; // other lines may still be unreadable
    }
  return allAre;
}

namespace {
struct Row {
  std::string name, verdict;
  int64_t meant = -1, found = -1;
  double work = 1; ///< what a rank computes, of what it would as meant
  bool leads = false;
  bool isSound = true; ///< what was proposed could be read
};
} // namespace

static Row rowOf(const std::string &name) {
  Row row{name, ""};
  std::string folder = kCases + "/" + name;
  std::string meant = textOf(folder + "/meant.hkt");
  row.meant = plannedBytes(folder + "/meant.hkt",
                           {{folder + "/meant.hkt", meant}}, optionsOf(meant));
  std::string path = folder + "/wrong.hkt", wrong = textOf(path);
  Followed followed = follow(path, {{path, wrong}}, optionsOf(wrong));
  if (std::getenv("HOCKET_ADVICE_LOG"))
    std::cout << "=== " << name << "\n" << followed.log << "\n";
  row.isSound = followed.alwaysParses &&
                allParse(path, {{path, wrong}}, optionsOf(wrong));
  if (!followed.isError)
    row.verdict = "no error";
  else if (!followed.hasProposal)
    row.verdict = "no proposal";
  else if (!followed.checks)
    row.verdict = "never checks";
  else {
    row.found = plannedBytes(path, followed.texts, optionsOf(wrong));
    bool isCheap = row.found >= 0 && 10 * row.found <= 11 * row.meant;
    row.work = workOf(path, followed.texts, optionsOf(wrong)) /
               workOf(folder + "/meant.hkt", {{folder + "/meant.hkt", meant}},
                      optionsOf(meant));
    bool isWhole = row.work > 1.3;
    row.verdict = !isCheap ? "dearer" : isWhole ? "splits less" : "leads there";
    row.leads = isCheap && !isWhole;
  }
  if (!followed.alwaysParses)
    row.verdict += ", unreadable";
  return row;
}

TEST(Advice, FirstProposalsLeadToWhatWasMeant) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(kCases))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  ASSERT_EQ(names.size(), 40u);
  int lead = 0;
  for (const std::string &name : names) {
    Row row = rowOf(name);
    lead += row.leads;
    EXPECT_TRUE(row.isSound) << row.name;
    std::cout << row.name << std::string(48 - row.name.size(), ' ')
              << row.verdict << "  " << row.found << " bytes, meant "
              << row.meant << ", work " << row.work << "\n"
              << std::flush;
  }
  std::cout << lead << " of 40 lead there\n";
  EXPECT_EQ(lead, 40);
}

/// Rows of docs/coming-from.md: word, lines, remark.
static std::vector<syntax::OtherWord> documented() {
  std::vector<syntax::OtherWord> words;
  std::stringstream text(textOf(test::sourcePath("docs/coming-from.md")));
  std::string system;
  for (std::string line; std::getline(text, line);) {
    if (line.rfind("## ", 0) == 0)
      system = line.substr(3);
    if (line.rfind("| `", 0) != 0)
      continue;
    llvm::SmallVector<llvm::StringRef> cells, lines;
    llvm::StringRef(line).split(cells, '|');
    syntax::OtherWord word;
    word.system = system;
    word.word = cells[1].trim().trim('`').str();
    cells[2].trim().split(lines, " <br> ", -1, /*KeepEmpty=*/false);
    for (llvm::StringRef each : lines)
      word.lines.push_back(each.trim('`').str());
    word.remark = cells[3].trim().str();
    words.push_back(word);
  }
  return words;
}

TEST(Advice, TableOfOtherSystemsIsDocumented) {
  std::vector<syntax::OtherWord> words = documented();
  ASSERT_EQ(words.size(), syntax::otherWords().size());
  for (size_t i = 0; i < words.size(); ++i) {
    const syntax::OtherWord &known = syntax::otherWords()[i];
    EXPECT_EQ(words[i].word, known.word);
    EXPECT_EQ(words[i].system, known.system) << known.word;
    EXPECT_EQ(words[i].lines, known.lines) << known.word;
    EXPECT_EQ(words[i].remark, known.remark) << known.word;
  }
}

/// What a schedule with this line in it says.
static std::string errorsOf(const std::string &line) {
  std::string text =
      "hocket 1\nmodel Net(n: int = 8, seq: int = 4) {\n  a = Linear(n, n)\n  "
      "forward(x: f32[seq, n]) { return a(x) }\n}\n"
      "schedule s for Net {\n  mesh (tp = 2)\n  " +
      line + "\n}\n";
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  Compiler compiler(stream);
  compiler.loadTexts("words.hkt", {{"words.hkt", text}}, optionsOf(text));
  return printed;
}

static std::string filled(std::string line) {
  for (auto [name, value] : {std::pair("PATTERN", "a"), std::pair("DIM", "seq"),
                             std::pair("AXES", "tp")})
    for (size_t at; (at = line.find(name)) != std::string::npos;)
      line.replace(at, std::string(name).size(), value);
  return line;
}

TEST(Advice, WordsOfOtherSystemsAreErrorsThatSayTheLine) {
  for (const syntax::OtherWord &word : syntax::otherWords()) {
    std::string errors = errorsOf(word.word + " a over tp");
    EXPECT_NE(errors.find(syntax::noteOf(word)), std::string::npos)
        << word.word << "\n"
        << errors;
    for (const std::string &line : word.lines)
      EXPECT_EQ(errorsOf(filled(line)), "") << line;
  }
  EXPECT_NE(errorsOf("sync a fwd_post psum over tp")
                .find("'psum' of JAX is here: sync PATTERN fwd_post all_reduce "
                      "over AXES"),
            std::string::npos);
}
