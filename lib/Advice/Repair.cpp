//===- Repair.cpp - lines of a schedule that could not be read ------------===//
//
// A word of another system, a clause that is missing: what the line may have
// meant is written in words of the language, tried with all other such lines
// left out, and proposed if it leaves no more errors than without it.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "hocket/Frontend/OtherWords.h"
#include "llvm/ADT/StringExtras.h"
#include <regex>
#include <set>

using namespace hocket;
using namespace hocket::advice;
using namespace hocket::syntax;
using llvm::StringRef;

static constexpr size_t kMostDims = 8;
static const std::vector<std::string> kStatements = {
    "mesh",      "at",         "use",       "def",    "let",
    "shard",     "replicate",  "sync",      "defer",  "halo",
    "attention", "statistics", "recompute", "save",   "fsdp",
    "fuse",      "bucket",     "hook",      "expect", "auto"};

namespace {
/// What is in a line, in whatever words.
struct Words {
  std::string first, pattern, point, operation;
  std::vector<std::string> axes; ///< of the mesh: that it names, or all
  bool namesAxes = false;
  std::string halo; ///< of `sync PATTERN POINT halo ...`: the line of its own
  std::vector<std::string> dims; ///< as it names them, or any of the model
};

struct Unreadable {
  size_t diagnostic; ///< its number
  std::string file;
  size_t line;      ///< from 0
  std::string near; ///< the line with the word that was meant, if one is near
};

} // namespace

static std::vector<std::string> allMatches(const std::string &text,
                                           const char *expression) {
  std::vector<std::string> found;
  std::regex regex(expression);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end;
       ++it)
    if (std::string word = (*it)[1].str(); !llvm::is_contained(found, word))
      found.push_back(word);
  return found;
}

/// The names of axes of the meshes of a text.
static std::vector<std::string> meshAxes(const std::string &text) {
  std::vector<std::string> axes;
  for (const std::string &mesh : allMatches(text, "\\bmesh\\s*\\(([^)]*)\\)"))
    for (const std::string &axis : allMatches(mesh, "(\\w+)\\s*="))
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  return axes;
}

/// Names of dims: those that other lines have, then those of functions.
static std::vector<std::string> dimsOf(const Texts &texts,
                                       const std::string &schedule) {
  std::vector<std::string> dims = allMatches(schedule, "\\baxis\\s+(\\w+)");
  for (auto &[file, text] : texts)
    for (const std::string &type :
         allMatches(text, "\\b[fi]\\d+\\[([^\\]]*)\\]"))
      for (const std::string &dim : allMatches(type, "\\b([a-z_]\\w*)\\b"))
        if (!llvm::is_contained(dims, dim))
          dims.push_back(dim);
  if (dims.size() > kMostDims)
    dims.resize(kMostDims);
  return dims;
}

static bool isAnyOf(StringRef word, std::initializer_list<StringRef> words) {
  return llvm::is_contained(words, word);
}

static Words wordsOf(const std::string &line, const Texts &texts,
                     const std::string &text) {
  Words words;
  std::vector<std::string> all = allMatches(line, "([A-Za-z_]\\w*)");
  words.first = all.empty() ? "" : all.front();
  std::vector<std::string> quoted = allMatches(line, "\\[\"([^\"]+)\"\\]");
  std::vector<std::string> parts = allMatches(line, "(\\S+)");
  if (!quoted.empty())
    words.pattern = quoted.front();
  else if (parts.size() > 1 &&
           StringRef(parts[1]).find_first_of("(\"=") == StringRef::npos &&
           !isAnyOf(parts[1], {"over", "axis", "true", "false"}))
    words.pattern = parts[1];
  for (const std::string &word : all) {
    if (isAnyOf(word, {"fwd_pre", "fwd_post"}))
      words.point = word;
    if (isAnyOf(word, {"all_reduce", "reduce_scatter", "all_gather", "slice",
                       "broadcast", "halo"}))
      words.operation = word;
    if (auto *other = findOtherWord(word);
        other && other->lines.size() == 1 && word != words.first &&
        StringRef(other->lines[0]).starts_with("sync"))
      words.operation = StringRef(other->lines[0])
                            .split("fwd_post ")
                            .second.split(' ')
                            .first.str();
  }
  std::smatch halo;
  if (std::regex_match(line, halo,
                       std::regex("\\s*sync\\s+(\\S+)\\s+\\w+\\s+halo"
                                  "\\s+(.*?)(\\s+override)?\\s*(#.*)?")))
    words.halo = "halo " + halo[1].str() + " " + halo[2].str();
  std::vector<std::string> known = meshAxes(text);
  for (const std::string &axis : known)
    if (llvm::is_contained(all, axis))
      words.axes.push_back(axis);
  words.namesAxes = !words.axes.empty();
  if (words.axes.empty())
    words.axes = known;
  std::vector<std::string> dims = dimsOf(texts, text);
  for (const std::string &number : allMatches(line, "\\b(\\d)\\b"))
    words.dims.push_back(number);
  for (const std::string &dim : dims)
    if (llvm::is_contained(all, dim))
      words.dims.push_back(dim);
  if (words.dims.empty())
    words.dims = dims;
  return words;
}

static std::string filled(std::string line, const Words &words,
                          const std::string &dim, const std::string &axes) {
  for (auto [name, value] : {std::pair("PATTERN", words.pattern),
                             std::pair("DIM", dim), std::pair("AXES", axes)})
    for (size_t at; (at = line.find(name)) != std::string::npos;)
      line.replace(at, std::strlen(name), value);
  return line;
}

using Choice = std::vector<std::string>;

static std::string overOf(const Words &words) {
  return words.axes.size() == 1 ? words.axes.front()
                                : "(" + llvm::join(words.axes, ", ") + ")";
}

/// Templates with each dim; of several axes also a line for each, with dims of
/// their own.
static void addFilled(const Choice &templates, const Words &words,
                      std::vector<Choice> &choices) {
  if (!words.namesAxes && words.axes.size() > 1)
    for (const std::string &axis : words.axes) {
      Words ofOne = words;
      ofOne.axes = {axis};
      addFilled(templates, ofOne, choices);
    }
  bool hasDim = llvm::any_of(templates, [](const std::string &line) {
    return StringRef(line).contains("DIM");
  });
  bool hasPattern = llvm::any_of(templates, [](const std::string &line) {
    return StringRef(line).contains("PATTERN");
  });
  if (words.axes.empty() || (hasPattern && words.pattern.empty()))
    return;
  for (const std::string &dim : hasDim ? words.dims : Choice{""}) {
    Choice lines;
    for (const std::string &line : templates)
      lines.push_back(filled(line, words, dim, overOf(words)));
    choices.push_back(lines);
  }
  if (!hasDim || words.axes.size() != 2 || templates.size() != 1)
    return;
  for (const std::string &first : words.dims)
    for (const std::string &second : words.dims)
      if (first != second)
        choices.push_back({filled(templates[0], words, first, words.axes[0]),
                           filled(templates[0], words, second, words.axes[1])});
}

/// A sync of what is known of it.
static void addSyncs(const Words &words, std::vector<Choice> &choices) {
  Choice points = {words.point}, operations = {words.operation};
  if (words.point.empty())
    points = {"fwd_post", "fwd_pre"};
  if (words.operation.empty())
    operations = {"all_reduce", "reduce_scatter", "all_gather", "slice"};
  for (const std::string &operation : operations)
    for (const std::string &point : points)
      addFilled({"sync PATTERN " + point + " " + operation +
                 (operation == "all_reduce" ? "" : " axis DIM") + " over AXES"},
                words, choices);
}

/// A line that begins as some do is wrong in a word; others mean nothing here.
static bool isStatement(const std::string &word) {
  return llvm::is_contained(kStatements, word);
}

static std::vector<Choice> choicesFor(const Words &words) {
  std::vector<Choice> choices;
  if (!words.halo.empty())
    choices.push_back({words.halo});
  if (words.first == "sync" && words.operation == "halo")
    addFilled({"halo PATTERN axis DIM over AXES"}, words, choices);
  else if (words.first == "sync")
    addSyncs(words, choices);
  else if (words.first == "shard")
    addFilled({"shard PATTERN axis DIM over AXES"}, words, choices);
  else if (words.first == "halo")
    addFilled({"halo PATTERN axis DIM over AXES"}, words, choices);
  else if (words.first == "statistics" || words.first == "fsdp")
    addFilled({words.first + " PATTERN over AXES"}, words, choices);
  else if (auto *other = findOtherWord(words.first)) {
    addFilled(other->lines, words, choices);
    if (other->lines.size() > 1 &&
        StringRef(other->lines.front()).starts_with("sync"))
      addSyncs(words, choices);
  }
  return choices;
}

namespace {
class Repairer {
public:
  Repairer(const Source &source, mlir::MLIRContext *context)
      : source(source), context(context), bench(source, context, kSearchInFew),
        texts(source.texts), own(source.texts) {}

  void run(std::vector<Unreadable> &list);

  Proposals proposals;

private:
  void repair(const Unreadable &unreadable);
  Texts with(const Unreadable &unreadable, const Choice &lines) const;
  void propose(const Unreadable &unreadable, const Choice &lines);

  const Source &source;
  mlir::MLIRContext *context;
  Bench bench;
  Texts texts; ///< with the lines so far repaired, and the others left out
  const Texts &own;
  std::shared_ptr<Trial> last;
};
} // namespace

static std::string joinLines(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

static std::string indentOf(const std::string &line) {
  return line.substr(0, line.find_first_not_of(" \t"));
}

Texts Repairer::with(const Unreadable &unreadable, const Choice &lines) const {
  Texts changed = texts;
  std::vector<std::string> text = linesOf(changed.at(unreadable.file));
  std::string indent =
      indentOf(linesOf(own.at(unreadable.file))[unreadable.line]);
  std::string joined;
  for (const std::string &line : lines) // in one line, so that places stay
    joined += (joined.empty() ? "" : "\n") + indent + line;
  text[unreadable.line] = joined;
  changed[unreadable.file] = joinLines(text);
  return changed;
}

void Repairer::propose(const Unreadable &unreadable, const Choice &lines) {
  std::vector<std::string> text = linesOf(own.at(unreadable.file));
  size_t begin = 0;
  for (size_t i = 0; i < unreadable.line; ++i)
    begin += text[i].size() + 1;
  const std::string &old = text[unreadable.line];
  TextEdit edit{unreadable.file, uint32_t(begin),
                uint32_t(begin + old.size() + 1), ""};
  for (const std::string &line : lines)
    edit.text += indentOf(old) + line + "\n";
  Proposal proposal;
  proposal.edits.push_back(edit);
  for (size_t i = 0; i < lines.size(); ++i)
    proposal.lines.push_back((i ? "and: " : "write instead: ") + lines[i]);
  if (lines.empty())
    proposal.lines.push_back("leave this line out");
  proposal.isOfItsLine = true;
  if (proposal.lines.size() > 1)
    proposal.lines = {llvm::join(proposal.lines, "\n  ")};
  proposals[unreadable.diagnostic] = std::move(proposal);
}

/// Fewer errors, then more that is split, then less to compute and to move.
static bool isBetter(const placement::Outcome &a, const placement::Outcome &b) {
  auto rank = [](const placement::Outcome &outcome) {
    double cost = outcome.cost ? double(outcome.cost->bytes) : 1e18;
    double work = outcome.cost ? outcome.cost->work : 1e18;
    return std::make_tuple(outcome.findings.size(), work, cost);
  };
  return rank(a) < rank(b);
}

/// Whether the word stands for lines as they are, and not for one of several by
/// what comes to it.
static bool isDefinite(const Words &words) {
  const OtherWord *other = findOtherWord(words.first);
  return other && other->remark.empty() && !other->lines.empty();
}

void Repairer::repair(const Unreadable &unreadable) {
  std::string line = linesOf(own.at(unreadable.file))[unreadable.line];
  Words words = wordsOf(line, own, own.at(unreadable.file));
  std::shared_ptr<Trial> best, bestOfAll;
  Choice chosen, chosenOfAll;
  std::vector<Choice> choices = choicesFor(words);
  if (!unreadable.near.empty())
    choices = {{unreadable.near}};
  for (const Choice &lines : choices) {
    if (bench.isSpent())
      break;
    std::shared_ptr<Trial> trial = bench.run(with(unreadable, lines));
    if (!trial)
      continue;
    if (!bestOfAll || isBetter(trial->outcome, bestOfAll->outcome)) {
      bestOfAll = trial;
      chosenOfAll = lines;
    }
    bool isMore = unreadable.near.empty() && trial->outcome.findings.size() >
                                                 last->outcome.findings.size();
    if (isMore || (best && !isBetter(trial->outcome, best->outcome)))
      continue;
    best = trial;
    chosen = lines;
  }
  if (!best && isDefinite(words)) { // other lines belong to it
    best = bestOfAll;
    chosen = chosenOfAll;
  }
  if (best) {
    last = best;
    texts = with(unreadable, chosen);
  }
  if (best || !isStatement(words.first))
    propose(unreadable, chosen);
}

void Repairer::run(std::vector<Unreadable> &list) {
  for (const Unreadable &unreadable : list)
    texts = with(unreadable, {});
  last = bench.run(texts);
  if (!last) { // it may name a later layer
    bench = Bench(source, context, kSearchInAll);
    last = bench.run(texts);
  }
  if (!last)
    return;
  // From the last on, so that places before it stay.
  for (auto it = list.rbegin(); it != list.rend(); ++it)
    repair(*it);
}

/// Whether a schedule, or what schedules use, is around an error.
static bool isOfSchedule(const Program &program, SourceRange range) {
  for (const auto &file : program.files)
    for (const DeclPtr &decl : file->ast.decls)
      if ((decl->kind == Decl::Kind::Schedule ||
           decl->kind == Decl::Kind::Def) &&
          decl->range.file == range.file && decl->range.begin <= range.begin &&
          range.end <= decl->range.end)
        return true;
  return false;
}

/// The line with the word that stands where an error was found as the language,
/// or the line's own model and mesh, has it.
static std::string nearLine(const Diagnostic &diagnostic,
                            const SourceManager &sources, const Source &source,
                            const std::string &line) {
  if (!StringRef(diagnostic.text).starts_with("expected"))
    return "";
  std::vector<std::string> known = kStatements;
  for (const char *word :
       {"fwd_pre",        "fwd_post",   "bwd_pre",    "bwd_post", "all_reduce",
        "reduce_scatter", "all_gather", "all_to_all", "slice",    "broadcast",
        "axis",           "over",       "to",         "until",    "using",
        "from",           "sizes",      "weights",    "aligned",  "override",
        "reshard",        "heads",      "sequence"})
    known.push_back(word);
  std::string file = sources.getName(diagnostic.range.file);
  for (const std::string &axis : meshAxes(source.texts.at(file)))
    known.push_back(axis);
  for (auto &[name, text] : source.texts)
    for (const std::string &def : allMatches(text, "\\bdef\\s+(\\w+)"))
      known.push_back(def);
  std::string word(sources.getText(diagnostic.range));
  auto near = nearest(word, known);
  if (!near)
    return "";
  size_t column = sources.getLineColumn(diagnostic.range).column - 1;
  std::string text = line;
  text.replace(column, diagnostic.range.size(), *near);
  return StringRef(text).trim().str();
}

Proposals advice::adviseReading(const Program &program,
                                const DiagnosticEngine &diagnostics,
                                const Source &source,
                                mlir::MLIRContext *context) {
  std::vector<Unreadable> list;
  const SourceManager &sources = diagnostics.getSources();
  size_t number = 0;
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
    size_t own = number++;
    if (!diagnostic.range.isValid() || !isOfSchedule(program, diagnostic.range))
      return {};
    size_t line = sources.getLineColumn(diagnostic.range).line - 1;
    const std::string &file = sources.getName(diagnostic.range.file);
    bool isKnown = llvm::any_of(list, [&](const Unreadable &other) {
      return other.file == file && other.line == line;
    });
    std::vector<std::string> lines = linesOf(source.texts.at(file));
    StringRef text = lines[line];
    if (text.count('{') != text.count('}'))
      return {}; // a block begins or ends there
    if (!isKnown)
      list.push_back(
          {own, file, line, nearLine(diagnostic, sources, source, text.str())});
  }
  if (list.empty())
    return {};
  Repairer repairer(source, context);
  repairer.run(list);
  return std::move(repairer.proposals);
}
