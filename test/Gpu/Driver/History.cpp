//===- History.cpp - which operations touched bytes last ------------------===//

#include "test/Gpu/Driver/History.h"

using namespace hocket::lookalike;

/// An edge at `at`; the segment that begins there, or the next one.
History::Segments::iterator History::split(uint64_t at) {
  auto after = segments.lower_bound(at);
  if (after == segments.begin() ||
      (after != segments.end() && after->first == at))
    return after;
  Segment &before = std::prev(after)->second;
  if (before.end <= at)
    return after;
  Segment rest = before;
  before.end = at;
  return segments.emplace_hint(after, at, std::move(rest));
}

std::pair<History::Segments::iterator, History::Segments::iterator>
History::cut(uint64_t begin, uint64_t end) {
  auto first = split(begin);
  // Bytes that nobody has touched get segments as well.
  uint64_t at = begin;
  for (auto next = first; at < end;) {
    uint64_t until = next == segments.end() ? end : std::min(end, next->first);
    if (at < until) {
      auto made = segments.emplace_hint(next, at, Segment{until, {}, {}});
      if (at == begin)
        first = made;
    }
    if (next == segments.end() || next->first >= end)
      break;
    at = next->second.end;
    ++next;
  }
  return {first, split(end)};
}

std::optional<Conflict> History::check(uint64_t begin, const Segment &segment,
                                       const Clock &clock, bool alsoReads) {
  if (segment.writer.tick && !segment.writer.isBefore(clock))
    return Conflict{segment.writer, true, begin, segment.end};
  if (alsoReads)
    for (const Actor &reader : segment.readers)
      if (!reader.isBefore(clock))
        return Conflict{reader, false, begin, segment.end};
  return std::nullopt;
}

std::optional<Conflict> History::read(uint64_t begin, uint64_t end,
                                      const Actor &actor, const Clock &clock) {
  std::optional<Conflict> found;
  if (begin == end)
    return found;
  auto [first, last] = cut(begin, end);
  for (auto at = first; at != last; ++at) {
    Segment &segment = at->second;
    if (!found)
      found = check(at->first, segment, clock, false);
    auto &readers = segment.readers;
    readers.erase(std::remove_if(readers.begin(), readers.end(),
                                 [&](const Actor &reader) {
                                   return reader.isBefore(clock);
                                 }),
                  readers.end());
    readers.push_back(actor);
  }
  return found;
}

std::optional<Conflict> History::write(uint64_t begin, uint64_t end,
                                       const Actor &actor, const Clock &clock) {
  std::optional<Conflict> found;
  if (begin == end)
    return found;
  auto [first, last] = cut(begin, end);
  for (auto at = first; at != last && !found; ++at)
    found = check(at->first, at->second, clock, true);
  segments.erase(first, last);
  segments[begin] = {end, actor, {}};
  return found;
}

std::optional<Conflict> History::unfinished(const Clock &clock) const {
  for (const auto &[begin, segment] : segments)
    if (auto found = check(begin, segment, clock, true))
      return found;
  return std::nullopt;
}
