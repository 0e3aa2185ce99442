//===- Scheduler.h - the working state of makeSchedule ---------*- C++ -*-===//

#ifndef HOCKET_LIB_CODEGEN_CPU_SCHEDULER_H
#define HOCKET_LIB_CODEGEN_CPU_SCHEDULER_H

#include "Schedule.h"

namespace hocket::codegen {

class Scheduler {
public:
  /// `longRows`: rows may hold the vector axis where nothing reduces it.
  Scheduler(Graph &graph, Schedule &schedule, bool longRows, Repeats repeats,
            std::string &reason)
      : graph(graph), schedule(schedule), longRows(longRows), repeats(repeats),
        reason(reason) {}
  bool run();

private:
  using AxisSet = std::set<int>;

  // Schedule.cpp: which axes are loops, and in what order.
  void findUsed();
  bool checkRemaps();
  bool checkCone(int node, int axis);
  void chooseVectorAxis();
  void chooseRowAxes();
  bool cutToBlock(int axis, int64_t atLeast, int64_t atMost);
  void blockTransposed();
  void unrollReduced();
  void orderOuterAxes();
  bool checkOutputs();
  bool checkRepeats();
  double score(int axis) const;
  double elements(const LinearForm &form) const;
  AxisList ordered(const AxisSet &axes) const;
  // RowPasses.cpp: what is computed when, and what is kept.
  bool schedulePasses();
  void findLevels();
  void decideKept();
  void decideOutput(int node, std::set<int> &passes);
  void keepRow(int node, std::set<int> &passes);
  int64_t cost(int node);
  bool reserve(int node, const AxisList &axes);
  void placeReductions();
  void placeStores();
  Nest &nestFor(int pass, const AxisSet &axes);
  AxisSet rowAxesOf(llvm::ArrayRef<int> axes) const;

  Graph &graph;
  Schedule &schedule;
  const bool longRows;
  const Repeats repeats;
  std::string &reason;
  AxisSet reduced, written, flipped, rows, outer;
  int vector = -1;          // the innermost axis
  int unrolledReduced = -1; // rows that are taken at once, or -1
  int64_t stackBytes = 0;
  int lastPass = 0;
  std::vector<int64_t> costs;
  std::vector<std::set<int>> passesOf;             // of a node
  std::map<int, llvm::SmallVector<int>> outputsOf; // node to output numbers
  std::map<int, int> outputPass, keptPass;         // by output number, by node
  std::map<int, std::vector<Nest>> nests;          // by pass
};

} // namespace hocket::codegen

#endif // HOCKET_LIB_CODEGEN_CPU_SCHEDULER_H
