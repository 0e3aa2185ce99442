//===- ScheduleText.h - random schedules for a given model ------*- C++ -*-===//
//
// Lines are chosen by looking at what the model can be asked for and at what
// values hold so far, under `auto reshard`; most lines are legal.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_SCHEDULETEXT_H
#define HOCKET_TEST_RANDOM_SCHEDULETEXT_H

#include "Rng.h"
#include "hocket/Pipeline/Compiler.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

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

/// A compiler at the model or placed stage, and what it printed.
struct Attempt {
  std::unique_ptr<std::string> printed = std::make_unique<std::string>();
  std::unique_ptr<llvm::raw_string_ostream> stream;
  std::unique_ptr<Compiler> compiler;
  bool isLoaded = false, isPlaced = false;
  const std::string &errors() const { return *printed; }
};

constexpr const char *kFileName = "case.hkt";

/// Loads the text of a case and, if asked, places it.
Attempt attempt(const std::string &text, bool place,
                codegen::KernelCache *cache = nullptr);

class ScheduleMaker {
public:
  /// `model` elaborates.
  ScheduleMaker(Rng &rng, std::string model);
  Schedule make(Ending ending);
  /// Of Ending::Explicit: not every inserted move has a line of its own.
  bool isUnnamed = false;
  /// The explicit schedule was refused: a mistake of the compiler.
  std::string refusedResolution;

private:
  struct Factor {
    std::string axis;
    int64_t size;
  };
  struct Place {
    std::string path;
    std::vector<Factor> factors;
  };
  bool tryLine(const std::string &line);
  void readPlaces();
  void shardSome();
  void syncSome();
  void licenseSome();
  std::string syncLine();
  void resolve();
  static std::vector<Factor> factorsOf(mlir::Value value,
                                       mlir::ArrayAttr roles);
  std::string anyAxis();
  int64_t collectives();
  int64_t sizeOf(const std::string &axis) const;
  const Factor &fitting(const std::vector<Factor> &factors);

  Rng &rng;
  std::string model;
  Schedule schedule;
  std::vector<Place> places; // parameters and inputs
  Attempt placed;            // of `schedule`, under auto reshard
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_SCHEDULETEXT_H
