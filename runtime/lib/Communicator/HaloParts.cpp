//===- HaloParts.cpp - a halo as runs of rows that are moved alike --------===//

#include "runtime/lib/Communicator/HaloParts.h"

namespace hocket::runtime {

namespace {

/// A row of a member's memory.
struct Row {
  int64_t member, index;
};

} // namespace

/// Whether `row`, a term each, goes on with the steps of `part`; a part of one
/// row takes the steps of the second.
static bool continues(HaloPart &part, const std::vector<Row> &row) {
  if (part.terms.size() != row.size())
    return false;
  for (size_t i = 0; i < row.size(); ++i) {
    const HaloRows &term = part.terms[i];
    int64_t step = part.count == 1 ? row[i].index - term.first : term.step;
    if (row[i].member != term.member || step < -1 || step > 1 ||
        row[i].index != term.first + part.count * step)
      return false;
  }
  for (size_t i = 0; part.count == 1 && i < row.size(); ++i)
    part.terms[i].step = row[i].index - part.terms[i].first;
  return true;
}

static std::vector<HaloPart> joined(const std::vector<std::vector<Row>> &rows) {
  std::vector<HaloPart> parts;
  for (size_t at = 0; at < rows.size(); ++at) {
    if (!parts.empty() && continues(parts.back(), rows[at])) {
      ++parts.back().count;
      continue;
    }
    parts.push_back({int64_t(at), 1, {}});
    for (const Row &row : rows[at])
      parts.back().terms.push_back({row.member, row.index, 1});
  }
  return parts;
}

std::vector<HaloPart> partsOfExchange(const plan::Halo &halo, int64_t me) {
  std::vector<std::vector<Row>> rows(halo.heldSize[me]);
  for (int64_t i = 0; i < halo.heldSize[me]; ++i) {
    int64_t place = halo.shown(me, i);
    for (size_t member = 0; place >= 0 && member < halo.size.size(); ++member)
      if (halo.owns(int64_t(member), place))
        rows[i].push_back({int64_t(member), place - halo.offset[member]});
  }
  return joined(rows);
}

std::vector<HaloPart> partsOfReduce(const plan::Halo &halo, int64_t me) {
  std::vector<std::vector<Row>> rows(halo.size[me]);
  for (size_t member = 0; member < halo.heldSize.size(); ++member)
    for (int64_t i = 0; i < halo.heldSize[member]; ++i) {
      int64_t place = halo.shown(int64_t(member), i);
      if (halo.owns(me, place))
        rows[place - halo.offset[me]].push_back({int64_t(member), i});
    }
  return joined(rows);
}

} // namespace hocket::runtime
