//===- PtxMutation.h - one random change of PTX ----------------*- C++ -*-===//
//
// Of a line that has run: a change of one that has not shows nothing. Each is
// of a kind with a name, as "operator" or "barrier left out"; a kind is drawn
// first, so that what is rare in a text is as frequent as what is common.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_GPU_MUTATIONS_PTXMUTATION_H
#define HOCKET_TEST_GPU_MUTATIONS_PTXMUTATION_H

#include "test/Gpu/Mutations/PtxLine.h"
#include "test/Random/Rng.h"
#include <map>
#include <set>

namespace hocket::mutations {

using random::Rng;

struct PtxMutation {
  std::string kind;
  std::set<unsigned> lines; ///< that differ, from 1
  std::string before, after;
  std::string text; ///< the whole, with as many lines as before
};

/// What stands in an entry, for changes to choose from.
struct Surroundings {
  /// Registers of lines that ran, by what their names begin with.
  std::map<std::string, std::vector<std::string>> registers;
  std::vector<std::string> labels;
  std::vector<std::string> parameters;
  size_t begin = 0, end = 0; ///< lines of the entry, from 0
};

/// A line that is being changed, in the whole text.
struct Draft {
  std::vector<std::string> &lines;
  size_t at; ///< from 0
  PtxLine line;
  const std::set<unsigned> &ran; ///< from 1
  const Surroundings &around;
  Rng &rng;

  /// Puts the line into the text; false where it is what it was.
  bool write();
  /// A register that stands within some lines of this one, half of the time, or
  /// anywhere in the entry; `not` itself where there is no other.
  std::string otherRegister(const std::string &than) const;
  /// The next line (`by` 1) or the one before (-1) with an instruction, if no
  /// label, directive or brace stands between.
  std::optional<size_t> neighbour(size_t of, int by) const;
};

/// Changes the line of a draft, or lines around it; false where it cannot, and
/// then all lines are what they were.
using Change = bool (*)(Draft &);
struct PtxKind {
  const char *name;
  Change change;
};
const std::vector<PtxKind> &ptxKinds();

/// Draws changes of one entry of a text.
class PtxMutator {
public:
  PtxMutator(const std::string &text, const std::string &entry,
             std::set<unsigned> ran);

  /// Of a kind, or of any; nothing where no line that ran can be changed so.
  std::optional<PtxMutation> draw(Rng &rng) const;
  std::optional<PtxMutation> draw(const PtxKind &kind, Rng &rng) const;

private:
  std::vector<std::string> lines;
  std::set<unsigned> ran;
  std::vector<size_t> candidates; ///< instructions that ran, from 0
  Surroundings around;
};

// The kinds: of which instructions there are and in which order (PtxOrder.cpp),
bool leaveOut(Draft &);
bool exchangeWithNext(Draft &);
bool leaveOutBarrier(Draft &);
bool moveBarrier(Draft &);
bool changeWait(Draft &);
bool changeGuard(Draft &);
bool changeTarget(Draft &);
// of what they compute with (PtxOperands.cpp),
bool changeSource(Draft &);
bool changeDestination(Draft &);
bool exchangeOperands(Draft &);
bool changeConstant(Draft &);
bool changeAddress(Draft &);
bool changeParameter(Draft &);
bool changeSpecial(Draft &);
bool exchangeElements(Draft &);
bool exchangeFragments(Draft &);
bool shrinkShared(Draft &);
// and of what they do (PtxOperations.cpp).
bool changeOperator(Draft &);
bool changeComparison(Draft &);
bool changeSign(Draft &);
bool changeWidth(Draft &);
bool changeRounding(Draft &);
bool changeSpace(Draft &);
bool changeElementType(Draft &);
bool changeLayout(Draft &);
bool changeExchange(Draft &);
bool changeAtomic(Draft &);

} // namespace hocket::mutations

#endif // HOCKET_TEST_GPU_MUTATIONS_PTXMUTATION_H
