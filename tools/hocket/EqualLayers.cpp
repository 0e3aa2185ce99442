//===- EqualLayers.cpp - paths that differ in a number only ---------------===//

#include "EqualLayers.h"
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

using namespace hocket::tool;

namespace {

using Words = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

/// A group while it is made: the words of its path, "*" where `numbers` has
/// those of its entries.
struct Group {
  Words words;
  std::map<size_t, Numbers> numbers; // by position
  std::string rest;
  std::vector<size_t> entries;
};

Words wordsOf(const std::string &path) {
  Words words(1);
  for (char c : path)
    if (c == '.')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

std::string joined(const Words &words, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? "." : "") + words[i];
  return text;
}

bool isNumber(const std::string &word) {
  return !word.empty() && word.size() < 10 &&
         word.find_first_not_of("0123456789") == std::string::npos;
}

/// What groups have in common that differ only in the number at `position`.
std::string commonKey(Group group, size_t position) {
  group.words[position] = "#";
  std::string key = joined(group.words, group.words.size());
  for (auto &[at, numbers] : group.numbers)
    for (int64_t number : numbers)
      key += "\n" + std::to_string(at) + ":" + std::to_string(number);
  return key + "\n" + group.rest;
}

std::vector<Group> mergeAt(const std::vector<Group> &groups, size_t position) {
  std::vector<Group> merged;
  std::map<std::string, size_t> known;
  for (const Group &group : groups) {
    if (group.words.size() <= position || !isNumber(group.words[position])) {
      merged.push_back(group);
      continue;
    }
    auto [entry, isNew] =
        known.try_emplace(commonKey(group, position), merged.size());
    if (isNew) {
      merged.push_back(group);
      merged.back().numbers[position] = {};
    }
    Group &into = merged[entry->second];
    into.numbers[position].push_back(std::stoll(group.words[position]));
    if (!isNew)
      into.entries.insert(into.entries.end(), group.entries.begin(),
                          group.entries.end());
  }
  for (Group &group : merged) {
    auto own = group.numbers.find(position);
    if (own == group.numbers.end())
      continue;
    if (own->second.size() == 1)
      group.numbers.erase(own); // nothing is equal to it
    else
      group.words[position] = "*";
  }
  return merged;
}

/// "h.0 to h.3, h.7".
std::string rangesText(const std::string &stem, Numbers numbers) {
  bool falls = std::is_sorted(numbers.rbegin(), numbers.rend());
  if (!falls)
    std::sort(numbers.begin(), numbers.end());
  int64_t step = falls ? -1 : 1;
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + step)
      ++end;
    text += (i ? ", " : "") + stem + std::to_string(numbers[i]);
    if (end - i > 1)
      text += (end - i == 2 ? ", " : " to ") + stem +
              std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string layersOf(const Group &group) {
  if (group.numbers.empty())
    return "";
  size_t last = group.numbers.rbegin()->first;
  if (group.numbers.size() == 1) {
    std::string stem = joined(group.words, last);
    return rangesText(stem.empty() ? "" : stem + ".",
                      group.numbers.begin()->second);
  }
  Words from = group.words, to = group.words;
  for (auto &[position, numbers] : group.numbers) {
    from[position] = std::to_string(numbers.front());
    to[position] = std::to_string(numbers.back());
  }
  return joined(from, last + 1) + " to " + joined(to, last + 1);
}

} // namespace

std::vector<PathGroup>
hocket::tool::groupEqualLayers(const std::vector<PathEntry> &entries) {
  std::vector<Group> groups;
  size_t longest = 0;
  std::map<std::string, int> times; // of one path, alike in all
  for (const PathEntry &entry : entries) {
    int time = times[entry.path + "\n" + entry.rest]++;
    groups.push_back({wordsOf(entry.path),
                      {},
                      std::to_string(time) + "\n" + entry.rest,
                      {groups.size()}});
    longest = std::max(longest, groups.back().words.size());
  }
  for (size_t position = 0; position < longest; ++position)
    groups = mergeAt(groups, position);
  std::vector<PathGroup> result;
  for (const Group &group : groups)
    result.push_back({joined(group.words, group.words.size()), layersOf(group),
                      group.entries});
  return result;
}
