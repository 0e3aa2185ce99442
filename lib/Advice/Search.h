//===- Search.h - from a text that is wrong to texts that check -*- C++ -*-===//

#ifndef HOCKET_LIB_ADVICE_SEARCH_H
#define HOCKET_LIB_ADVICE_SEARCH_H

#include "Bench.h"

namespace hocket::advice {

/// How good a text is, the smaller the better.
struct Rank {
  int lost = 0;     ///< tenths of what was split that are no longer
  double moved = 0; ///< bytes, more where it goes against the user's lines
  double cost = 0;  ///< those, and what is computed, as bytes
  size_t findings = 0;
  unsigned edits = 0;
  double against = 1; ///< what the user's lines say: a factor of the bytes

  bool operator<(const Rank &other) const;
};

/// A text on the way, and the one that it was made from.
struct Step {
  std::shared_ptr<Trial> trial;
  std::shared_ptr<Step> from; ///< null: the user's own text
  Rank rank;
  int lost = 0;      ///< by lines left out that were not understood
  std::string meant; ///< a statement in which a word was put right

  bool isRight() const { return trial->outcome.findings.empty(); }
  /// From the user's own text to this one.
  std::vector<const Step *> path() const;
};

/// Texts that check, best first; if none was found, the one that came nearest
/// without errors that were not there before. Of `start` the first finding is
/// gone in all of them.
std::vector<std::shared_ptr<Step>> search(std::shared_ptr<Trial> start,
                                          const Source &source, Bench &bench);

} // namespace hocket::advice

#endif // HOCKET_LIB_ADVICE_SEARCH_H
