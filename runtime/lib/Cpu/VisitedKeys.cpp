//===- VisitedKeys.cpp - keys that blocks of queries visit ----------------===//

#include "hocket/Cpu/VisitedKeys.h"
#include "hocket/Cpu/Attention.h"
#include <algorithm>

namespace hocket::runtime {

BlockRule ruleOf(const plan::BlockLayout &layout, int64_t blocks) {
  return {layout.block, layout.perHead,
          [layout, blocks](int64_t head, int64_t row) {
            std::vector<KeyRun> runs;
            for (auto [begin, end] : visitedBlocks(layout, blocks, head, row))
              runs.push_back({begin * layout.block, end * layout.block});
            return runs;
          }};
}

bool VisitedKeys::Runs::operator==(const Runs &other) const {
  return std::equal(first, last, other.first, other.last);
}

KeyRun VisitedKeys::queriesOf(int64_t row) const {
  return {std::max<int64_t>(row * block - lead, 0),
          std::min((row + 1) * block - lead, queryCount)};
}

VisitedKeys::VisitedKeys(const AttentionArguments &arguments,
                         const BlockRule &rule)
    : block(rule.block), isPerHead(rule.isPerHead),
      lead(arguments.queryOffset % rule.block),
      queryCount(arguments.q.shape[2]) {
  if (queryCount > 0)
    rowCount = (lead + queryCount + block - 1) / block;
  starts.push_back(0);
  int64_t firstRow = arguments.queryOffset / block;
  int64_t heads = isPerHead ? arguments.q.shape[1] : 1;
  for (int64_t head = 0; head < heads; ++head)
    for (int64_t row = 0; row < rowCount; ++row)
      addRow(arguments, row,
             rule.runs(isPerHead ? arguments.headOffset + head : 0,
                       firstRow + row));
}

void VisitedKeys::addRow(const AttentionArguments &arguments, int64_t row,
                         const std::vector<KeyRun> &whole) {
  auto [first, last] = queriesOf(row);
  int64_t begin = arguments.keyBegin(first);
  int64_t limit = arguments.keyLimit(last - 1);
  for (KeyRun run : whole) {
    run.begin = std::max(run.begin - arguments.keyOffset, begin);
    run.end = std::min(run.end - arguments.keyOffset, limit);
    if (run.begin >= run.end)
      continue;
    if (int64_t(lists.size()) > starts.back() && lists.back().end == run.begin)
      lists.back().end = run.end;
    else
      lists.push_back(run);
  }
  starts.push_back(lists.size());
}

} // namespace hocket::runtime
