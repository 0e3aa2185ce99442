//===- AttributesMain.cpp - hocket-attributes: what dumps may forget ------===//
//
// hocket-attributes [--stage S] [--every N] [--rows yes] FOLDER...
//
// Of the dumps of what compiles below the folders: deletes each attribute once,
// and makes each integer in it larger by one. Each change must be refused, give
// the plan that there was or, run on ranks that are threads, the numbers that
// there were, or stand in the table of legal programs that compute something
// else. --every N: one in N changes. --rows: says what came of each.
// Status 1 if a change was noticed by nothing, or ended with a crash.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Corpus.h"
#include "Judge.h"
#include "Numbers.h"
#include "ScratchFolder.h"
#include <cstdlib>
#include <iostream>
#include <map>

using namespace hocket::mutate;

namespace {

struct Settings {
  std::string stage;
  uint64_t every = 1;
  bool rows = false;
  std::vector<std::string> folders;
};

struct Counts {
  uint64_t places = 0, deleted = 0, larger = 0;
  uint64_t refused = 0, equal = 0, same = 0, legal = 0, failed = 0;
};

/// How a child says that the plan is another, and whether the numbers are.
constexpr int kSame = 4, kOther = 5;

} // namespace

static bool parse(int argc, char **argv, Settings &settings) {
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      settings.folders.push_back(name);
      continue;
    }
    if (++i == argc)
      return false;
    if (name == "--stage")
      settings.stage = argv[i];
    else if (name == "--every")
      settings.every =
          std::max<uint64_t>(std::strtoull(argv[i], nullptr, 10), 1);
    else if (name == "--rows")
      settings.rows = std::string(argv[i]) == "yes";
    else
      return false;
  }
  return !settings.folders.empty();
}

/// Each (operation, attribute) of the stage's dumps, where it has the most
/// integers.
static std::vector<AttributePlace> placesOf(const std::string &stage,
                                            const Corpus &dumps) {
  std::map<std::string, AttributePlace> found;
  for (size_t dump = 0; dump < dumps.texts.size(); ++dump)
    for (AttributePlace &place : attributesOf(stage, dumps.texts[dump])) {
      place.dump = dump;
      auto [known, isNew] = found.try_emplace(place.key(), place);
      if (!isNew && place.integers > known->second.integers)
        known->second = place;
    }
  std::vector<AttributePlace> places;
  for (auto &[key, place] : found)
    // They say where operands and results end.
    if (place.name.find("SegmentSizes") == std::string::npos)
      places.push_back(place);
  return places;
}

/// The plan of the dump itself, printed as the changed ones are.
static const std::string &planOnce(const AttributePlace &place,
                                   const Corpus &dumps,
                                   std::map<size_t, std::string> &known) {
  auto [entry, isNew] = known.try_emplace(place.dump);
  if (isNew)
    entry->second = planOf(place.stage, dumps.texts[place.dump]);
  return entry->second;
}

/// What came of the changed dump, as an exit status.
static int statusOf(const std::string &stage, const std::string &dump,
                    const std::string &text, const std::string &plan) {
  std::string made = text.empty() ? "" : planOf(stage, text);
  if (made.empty())
    return 1;
  if (made == plan)
    return 0;
  switch (compareNumbers(stage, dump, text)) {
  case Numbers::Same:
    return kSame;
  case Numbers::Other:
  case Numbers::TooLarge:
    return kOther;
  case Numbers::None:
    return 3;
  }
  return 3;
}

static void judge(const AttributePlace &place, int64_t integer,
                  const Corpus &dumps, const std::string &plan,
                  const Settings &settings, const std::string &scratch,
                  Counts &counts) {
  const std::string &dump = dumps.texts[place.dump];
  Outcome outcome = runApart(
      [&] {
        return statusOf(place.stage, dump, changed(place, dump, integer), plan);
      },
      scratch + "/errors");
  std::string what = place.key() + (integer < 0 ? " deleted" : " larger");
  std::string reason = reasonOf(place, integer < 0), came;
  if (!outcome.signal && outcome.status == 0)
    came = "equal", ++counts.equal;
  else if (!outcome.signal && outcome.status == kSame)
    came = "equal numbers", ++counts.same;
  else if (outcome.complaint().empty())
    came = "refused", ++counts.refused;
  else if (!outcome.signal && outcome.status == kOther && !reason.empty())
    came = "legal: " + reason, ++counts.legal;
  else
    came =
        "FAILED: " + (outcome.status == kOther ? std::string("another program")
                                               : outcome.complaint()),
    ++counts.failed;
  bool hasFailed = came[0] == 'F';
  if (!settings.rows && !hasFailed)
    return;
  std::cout << what << ": " << came << ", " << dumps.names[place.dump] << "\n";
  if (hasFailed)
    std::cout << outcome.errors.substr(0, 300) << std::endl;
}

static uint64_t judgeStage(const std::string &stage, const Corpus &dumps,
                           const Settings &settings,
                           const std::string &scratch) {
  Counts counts;
  std::map<size_t, std::string> plans;
  uint64_t number = 0;
  for (const AttributePlace &place : placesOf(stage, dumps)) {
    ++counts.places;
    const std::string &plan = planOnce(place, dumps, plans);
    if (plan.empty()) // refused by another kind of program, a hook's
      continue;
    for (int64_t integer = -1; integer < place.integers; ++integer) {
      if (number++ % settings.every != 0)
        continue;
      ++(integer < 0 ? counts.deleted : counts.larger);
      judge(place, integer, dumps, plan, settings, scratch, counts);
    }
  }
  std::cout << stage << ": " << counts.places << " attributes of "
            << dumps.texts.size() << " dumps, " << counts.deleted
            << " deleted, " << counts.larger << " integers larger; "
            << counts.refused << " refused, " << counts.equal << " equal, "
            << counts.same << " other plans of equal numbers, " << counts.legal
            << " other legal programs, " << counts.failed << " failed"
            << std::endl;
  return counts.failed;
}

int main(int argc, char **argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) {
    std::cerr
        << "usage: hocket-attributes [--stage S] [--every N] [--rows yes] "
           "FOLDER...\n";
    return 2;
  }
  ScratchFolder scratch;
  std::map<std::string, Corpus> stages =
      makeDumps(readTexts(settings.folders), scratch.path, false);
  uint64_t failed = 0;
  for (const auto &[stage, dumps] : stages)
    if (settings.stage.empty() || settings.stage == stage)
      failed += judgeStage(stage, dumps, settings, scratch.path);
  return failed != 0;
}
