//===- ScheduleText.h - random schedules for a given model ------*- C++ -*-===//
//
// Lines are chosen by looking at what the model can be asked for and at what
// values hold so far, under `auto reshard`; most lines are legal.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_SCHEDULETEXT_H
#define HOCKET_TEST_RANDOM_SCHEDULETEXT_H

#include "Attempt.h"
#include "ModelText.h"
#include "Rng.h"
#include <map>

namespace hocket::random {

/// How a schedule ends.
enum class Ending {
  Auto,     // with `auto reshard`
  Explicit, // with the lines that `auto reshard` found, instead of it
  Bare,     // without it: refused where placements do not meet
};

struct Schedule {
  std::vector<std::pair<std::string, int64_t>> mesh;
  std::vector<std::string> lines;
  bool isAuto = true;
  std::string text() const;
};

class ScheduleMaker {
public:
  /// `model` elaborates; `trains`: as one that drops.
  ScheduleMaker(Rng &rng, const ModelText &model, bool hasWindows,
                bool trains = false)
      : rng(rng), made(model), model(model.text), wishes(model.wishes),
        hasWindows(hasWindows), trains(trains) {}
  Schedule make(Ending ending);
  /// What was made with lines about the backward: fsdp, recompute, save,
  /// bucket.
  Schedule addBackward(Rng &rng);
  bool wrapsBlocks = true; ///< at times, in `at`
  /// Of Ending::Explicit: not every inserted move has a line of its own.
  bool isUnnamed = false;
  /// A schedule that should have been as good as the one before it, and was
  /// not: a mistake of the compiler.
  std::string mistake;

private:
  struct Factor {
    std::string axis;
    int64_t size;
  };
  struct Place {
    std::string path;
    std::vector<Factor> factors;
  };
  Attempt place(const std::string &text) const {
    return attempt(text, /*place=*/true, /*cache=*/nullptr, trains);
  }
  bool tryLine(const std::string &line);
  void takeLines();
  void leaveOneOut();
  void resolve();
  void wrapSome();
  void makeAny();

  // ScheduleLines.cpp
  void readPlaces();
  void shardSome();
  bool shardAsked(const Wish &wish, const std::string &over, int64_t ranks,
                  bool mayCut = false);
  void grantNested(const Wish &wish);
  void grantWishes();
  void shardPlaces();
  void syncSome();
  std::string syncLine();
  void expectSome();

  // ScheduleAttention.cpp
  void makeAttention(bool isBlind);
  void drawAttentionMesh();
  void splitAttended();
  void splitAlike(const std::vector<Wish> &wanted,
                  const std::vector<std::string> &over, bool mayOrder);
  std::string orderedOver(int64_t size, const std::vector<std::string> &over);
  int64_t extentOf(const Wish &wish) const;
  void strategySome(bool isBlind);
  std::string strategies();

  // ScheduleDomain.cpp
  void drawMesh();
  std::vector<std::string> shuffledAxes();
  std::vector<std::string> splitDomain(const Wish &wish);
  void haloSome();
  void tryHalo(const std::string &line, std::string reach, std::string layers);
  bool tryFrom(const std::string &path, const std::string &over);
  void attentionSome();
  void licenseSome();

  // ScheduleCuts.cpp
  /// " zigzag", " striped", " striped 3"
  std::string orderOf();
  /// " sizes (4, 0, 1)", or nothing: how the axes cut a dim of that size.
  std::string cutOf(int64_t size, const std::vector<std::string> &over);

  // ScheduleBackward.cpp
  void dropLines(const std::string &prefix);
  void splitParameters(Rng &rng);
  void tryKept(const std::string &line);
  void readBackwardPlaces(std::vector<std::string> &computed,
                          std::vector<std::string> &gathered);

  static std::vector<Factor> factorsOf(mlir::Value value,
                                       mlir::ArrayAttr roles);
  std::string anyAxis();
  int64_t collectives();
  int64_t sizeOf(const std::string &axis) const;
  const Factor &fitting(const std::vector<Factor> &factors);

  Rng &rng;
  ModelText made;
  std::string model;
  std::vector<Wish> wishes;
  bool hasWindows, trains;
  std::vector<std::string> sequenceAxes; // that cut the sequence of attention
  Schedule schedule;
  std::vector<Place> places;               // parameters and inputs
  std::map<std::string, std::string> cuts; // by size and axes
  Attempt placed;                          // of `schedule`, under auto reshard
  std::string refusal;                     // of the line that did not fit
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_SCHEDULETEXT_H
