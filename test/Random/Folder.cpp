//===- Folder.cpp - judging the files of a folder -------------------------===//

#include "Folder.h"
#include "Attempt.h"
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace hocket;
using namespace hocket::random;

static std::string read(const std::string &file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Operations of nn that stand in placed programs: the others are made when a
/// program is differentiated, call a function outside, or are of a line that
/// says where an attention exchanges.
static std::set<std::string> unseenOperations(const Coverage &coverage) {
  Attempt any = attempt("hocket 1\nmodel Net() {\n  forward(x: f32[2]) {\n    "
                        "return x\n  }\n}\n",
                        /*place=*/true);
  std::set<std::string> unseen = coverage.unseen(any.compiler->context());
  for (const char *name :
       {"nn.attention_grad", "nn.conv_grad_weight", "nn.embedding_grad",
        "nn.neighborhood_attention_grad", "nn.pad_transpose", "nn.pool_grad",
        "nn.hook", "nn.exchange"})
    unseen.erase(name);
  return unseen;
}

/// Whether the page says that the target refuses the file, by a sentence that
/// stands in `detail`.
static bool isStatedRefusal(const std::string &page, const std::string &file,
                            const std::string &detail) {
  std::string line = "| `" + file + "` | refused: \"";
  size_t at = page.find(line);
  if (at == std::string::npos)
    return false;
  size_t begin = at + line.size();
  std::string sentence = page.substr(begin, page.find('"', begin) - begin);
  return detail.find("error: " + sentence) != std::string::npos;
}

FolderReport random::runFolder(const std::string &folder,
                               const std::string &page, uint64_t seed,
                               CaseKind kind) {
  FolderReport report;
  Coverages files;
  std::set<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".hkt")
      paths.insert(entry.path());
  codegen::KernelCache cache;
  std::string text = page.empty() ? "" : read(page);
  for (const std::filesystem::path &path : paths) {
    Coverage &coverage = files[path.filename()];
    for (bool hasGradients : {false, true}) {
      kind.hasGradients = hasGradients;
      CaseResult result =
          runText(read(path), /*isExact=*/false, seed, cache, &coverage, kind);
      if (isStatedRefusal(text, path.filename(), result.detail)) {
        coverage = {};
        continue;
      }
      report.summary.add(result);
      if (result.verdict != Verdict::Equal)
        report.wrong.push_back(path.string() + " is " + nameOf(result.verdict) +
                               ": " + result.detail);
    }
    report.summary.coverage.merge(coverage);
  }
  std::vector<std::string> lines = ruleLines(files, report.wrong);
  for (const std::string &name : unseenKinds(files))
    report.wrong.push_back("no file has '" + name + "'");
  for (const std::string &name : unseenOperations(report.summary.coverage))
    report.wrong.push_back("no file has '" + name + "'");
  if (page.empty())
    return report;
  auto add = [&](const std::vector<std::string> &sentences) {
    report.wrong.insert(report.wrong.end(), sentences.begin(), sentences.end());
  };
  add(checkRules(text, lines));
  std::filesystem::path tree = std::filesystem::path(page).parent_path() / "..";
  add(checkInstructions(
      text, files, [&](const std::string &file) { return read(tree / file); }));
  return report;
}

std::string FolderReport::text() const {
  std::ostringstream text;
  const Coverage &coverage = summary.coverage;
  text << summary.equal << " runs are equal, and meet " << coverage.met()
       << " rows of rules of " << coverage.rows().size() << ", and "
       << coverage.kinds().size() << " kinds of instructions\n";
  for (const std::string &sentence : wrong)
    text << "error: " << sentence << "\n";
  return text.str();
}
