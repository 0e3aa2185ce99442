//===- RandomLayout.h - blocks of keys drawn at random ---------*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_RANDOMLAYOUT_H
#define HOCKET_TEST_RUNTIME_RANDOMLAYOUT_H

#include "test/Runtime/AttentionProblem.h"

namespace hocket::test {

/// Of a whole sequence, a block of keys in `every` for each row of a head;
/// `empty` rows have none, and no row has one of the `unseen` columns.
struct RandomLayout {
  int64_t block, heads, rows;
  int every = 3;
  bool isPerHead = true;
  std::function<bool(int64_t row)> empty = [](int64_t row) {
    return row % 5 == 2;
  };
  std::function<bool(int64_t column)> unseen = [](int64_t) { return false; };
  std::vector<bool> seen = {};

  void draw(uint32_t seed) {
    std::mt19937 random(seed);
    for (int64_t i = 0; i < (isPerHead ? heads : 1) * rows * rows; ++i) {
      bool isDrawn = random() % every == 0;
      seen.push_back(isDrawn && !empty(i / rows % rows) && !unseen(i % rows));
    }
  }
  bool sees(int64_t head, int64_t row, int64_t column) const {
    return seen[((isPerHead ? head : 0) * rows + row) * rows + column];
  }
  runtime::BlockRule rule() const {
    return {block, isPerHead, [this](int64_t head, int64_t row) {
              std::vector<runtime::KeyRun> runs;
              for (int64_t column = 0; column < rows; ++column)
                if (sees(head, row, column))
                  runs.push_back({column * block, (column + 1) * block});
              return runs;
            }};
  }
  void give(AttentionProblem &problem) const {
    problem.given.visited = runtime::VisitedKeys(problem.given, rule());
    problem.shows = [this](int64_t head, int64_t i, int64_t j) {
      return sees(head, i / block, j / block);
    };
  }
};

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_RANDOMLAYOUT_H
