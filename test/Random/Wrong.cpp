//===- Wrong.cpp - schedules that are wrong, from right ones --------------===//

#include "Wrong.h"
#include "../Advice/Follow.h"
#include "ModelText.h"
#include "ScheduleText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace hocket;
using namespace hocket::random;

static frontend::ElaborateOptions scheduleS() {
  frontend::ElaborateOptions options;
  options.schedule = "s";
  return options;
}

/// Where the dim of a line begins, behind `axis` or `to`; npos without one.
static std::pair<size_t, size_t> dimIn(const std::string &line,
                                       const char *word) {
  size_t at = line.find(word);
  if (at == std::string::npos)
    return {at, at};
  at += std::strlen(word);
  return {at, std::min(line.find(' ', at), line.size())};
}

/// Changes one line or two; false if what was drawn has no place here.
static bool change(Rng &rng, Schedule &schedule, std::string &name) {
  std::vector<std::string> &lines = schedule.lines;
  if (lines.empty())
    return false;
  size_t chosen = rng.below(lines.size());
  switch (rng.below(3)) {
  case 0:
    name = "left out";
    lines.erase(lines.begin() + chosen);
    return true;
  case 1: {
    name = "dim";
    std::vector<std::string> dims = {"0", "1", "2"};
    for (const std::string &line : lines)
      for (const char *word : {" axis ", " to "})
        if (auto [begin, end] = dimIn(line, word); begin != std::string::npos)
          dims.push_back(line.substr(begin, end - begin));
    auto [begin, end] = dimIn(lines[chosen], " axis ");
    if (begin == std::string::npos)
      return false;
    std::string old = lines[chosen].substr(begin, end - begin);
    std::string other = rng.oneOf(dims);
    lines[chosen].replace(begin, end - begin, other);
    return other != old;
  }
  default: {
    name = "swapped";
    size_t other = rng.below(lines.size());
    std::swap(lines[chosen], lines[other]);
    return other != chosen;
  }
  }
}

/// A schedule without blocks that is right, with all of its lines.
static bool drawRight(Rng &rng, bool isGrid, std::string &model,
                      Schedule &schedule) {
  ModelText made = makeModel(rng, isGrid);
  if (!attempt(made.text, /*place=*/false).isLoaded)
    return false;
  ScheduleMaker maker(rng, made, isGrid);
  maker.wrapsBlocks = false;
  schedule = maker.make(Ending::Explicit);
  model = made.text;
  return maker.mistake.empty() && !schedule.isAuto &&
         attempt(model + schedule.text(), /*place=*/true).isPlaced;
}

WrongCase random::runWrong(uint64_t seed, uint64_t number) {
  Rng rng(seed * 1000003 + number);
  WrongCase result;
  std::string model;
  Schedule right;
  if (!drawRight(rng, number % 2 == 1, model, right))
    return result;
  Schedule wrong = right;
  if (!change(rng, wrong, result.change))
    return result;
  result.text = model + wrong.text();
  if (attempt(result.text, /*place=*/true).isPlaced)
    return result;
  result.isWrong = true;
  result.rightBytes = advice::receivedBytes(
      kFileName, {{kFileName, model + right.text()}}, scheduleS());
  advice::Followed followed =
      advice::follow(kFileName, {{kFileName, result.text}}, scheduleS());
  result.checks = followed.checks;
  result.hasProposal = followed.hasProposal;
  result.alwaysParses = followed.alwaysParses;
  result.bytes = followed.bytes;
  result.steps = followed.steps;
  result.log = "right:" + right.text() + "\n" + followed.log;
  return result;
}

void WrongSummary::add(const WrongCase &wrongCase) {
  ++cases;
  if (!wrongCase.isWrong)
    return;
  ++wrong;
  good += wrongCase.isGood();
  unreadable += !wrongCase.alwaysParses;
  if (!wrongCase.isGood())
    ++failures[wrongCase.change + (!wrongCase.hasProposal ? ", no proposal"
                                   : !wrongCase.checks    ? ", never checks"
                                                          : ", dearer")];
}

std::string WrongSummary::text() const {
  std::string text =
      std::to_string(cases) + " cases, " + std::to_string(wrong) + " wrong, " +
      std::to_string(good) + " led to at most 1.5 of the right bytes (" +
      std::to_string(wrong ? 1000 * good / wrong : 0) + " of 1000), " +
      std::to_string(unreadable) + " unreadable\n";
  for (auto &[what, count] : failures)
    text += "  " + what + ": " + std::to_string(count) + "\n";
  return text;
}
