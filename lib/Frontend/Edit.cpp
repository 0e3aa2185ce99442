//===- Edit.cpp - applying edits, and finding them ------------------------===//

#include "hocket/Frontend/Edit.h"
#include <algorithm>

using namespace hocket::syntax;

Texts hocket::syntax::applyEdits(Texts texts,
                                 const std::vector<TextEdit> &edits) {
  // From the end on, so that places before stay what they are.
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
    auto found = texts.find(edit->file);
    if (found == texts.end())
      continue;
    size_t begin = std::min<size_t>(edit->begin, found->second.size());
    size_t end = std::min<size_t>(edit->end, found->second.size());
    found->second.replace(begin, end - begin, edit->text);
  }
  return texts;
}

bool Proposal::isRemoval() const {
  return std::all_of(edits.begin(), edits.end(),
                     [](const TextEdit &edit) { return edit.text.empty(); });
}

std::string hocket::syntax::textOf(const std::vector<Proposal> &proposals) {
  const Proposal &first = proposals.front();
  if (proposals.size() == 1 && first.isOfItsLine)
    return first.lines.front();
  size_t width = 0;
  for (const Proposal &proposal : proposals)
    for (const std::string &line : proposal.lines)
      width = std::max(width, line.size());
  std::string text = "what would make it meet, best first:";
  for (const Proposal &proposal : proposals)
    for (size_t i = 0; i < proposal.lines.size(); ++i) {
      const std::string &line = proposal.lines[i];
      std::string remark = i ? "and this" : proposal.remark;
      text += "\n  " + line;
      if (!remark.empty())
        text += std::string(width - line.size() + 2, ' ') + "# " + remark;
    }
  return text;
}

std::vector<std::string> hocket::syntax::linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// How many lines of `before` from i and of `after` from j are alike at most,
/// in order.
using Table = std::vector<std::vector<unsigned>>;

static Table commonLines(const std::vector<std::string> &before,
                         const std::vector<std::string> &after) {
  Table table(before.size() + 1, std::vector<unsigned>(after.size() + 1));
  for (size_t i = before.size(); i-- > 0;)
    for (size_t j = after.size(); j-- > 0;)
      table[i][j] = before[i] == after[j]
                        ? table[i + 1][j + 1] + 1
                        : std::max(table[i + 1][j], table[i][j + 1]);
  return table;
}

std::vector<Hunk>
hocket::syntax::differences(const std::vector<std::string> &before,
                            const std::vector<std::string> &after) {
  size_t head = 0, tail = 0, least = std::min(before.size(), after.size());
  while (head < least && before[head] == after[head])
    ++head;
  while (tail < least - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  std::vector<std::string> a(before.begin() + head, before.end() - tail);
  std::vector<std::string> b(after.begin() + head, after.end() - tail);
  Table table = commonLines(a, b);
  std::vector<Hunk> hunks;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
      continue;
    }
    Hunk hunk{head + i, head + i, head + j, head + j};
    while ((i < a.size() || j < b.size()) &&
           !(i < a.size() && j < b.size() && a[i] == b[j]))
      j >= b.size() || (i < a.size() && table[i + 1][j] >= table[i][j + 1])
          ? ++i
          : ++j;
    hunk.end = head + i, hunk.newEnd = head + j;
    hunks.push_back(hunk);
  }
  return hunks;
}
