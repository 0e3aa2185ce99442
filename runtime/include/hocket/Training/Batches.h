//===- Batches.h - what each training step reads ----------------*- C++ -*-===//
//
// Examples follow one another in a shuffled order, epoch after epoch: step s
// takes the examples [s * batch, (s + 1) * batch) of that sequence, so that the
// step alone says where in the data a run is. Ranks read their own slices.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TRAINING_BATCHES_H
#define HOCKET_TRAINING_BATCHES_H

#include "hocket/Io/FileTypes.h"
#include "hocket/Runtime/Tensors.h"
#include <memory>

namespace hocket::runtime {

struct DataOptions {
  std::vector<std::string> files;
  /// Elements of a file of raw numbers (U8, U16, I32); then, and for names that
  /// end in .bin, the one file holds tokens.
  std::optional<FileType> tokenType;
  uint64_t seed = 0;
};

/// The inputs of the step that was set last: `step`, its number counted from 0,
/// and slices of the data.
class Batches : public TensorSource {
public:
  /// `count` examples, in an order that follows from `seed`.
  Batches(int64_t batch, int64_t count, uint64_t seed)
      : batch(batch), count(count), seed(seed) {}

  void setStep(int64_t next) { step = next; }

  /// Where in the data row `row` of the step's batch lies.
  int64_t exampleOf(int64_t row) const;
  int64_t examples() const { return count; }
  /// Tokens that a step takes: elements of `tokens`, else rows.
  int64_t tokensOfStep = 0;

  bool describe(const std::string &tensor,
                TensorDescription &description) const override;
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override;

protected:
  virtual bool describeData(const std::string &tensor,
                            TensorDescription &description) const = 0;
  /// Reads `elements` numbers from element `begin` of the row that `example`
  /// gives `tensor`.
  virtual Status readRow(const std::string &tensor, int64_t example,
                         int64_t begin, int64_t elements, plan::DType type,
                         void *destination) const = 0;

private:
  int64_t batch, count;
  uint64_t seed;
  int64_t step = 0;
};

/// Whether an input is the number of the step and no data.
bool isStep(const plan::GlobalTensor &input);

/// Opens and checks the data for the inputs of `plan`.
///   a file of tokens (.bin, or .npy of one dim for a program of `tokens`):
///     examples are windows, one after the other; `tokens` [batch, seq] is a
///     window and `targets` the same one token later
///   else as TensorFiles::add: a tensor for each input, its first dim counts
///     examples
Status openBatches(const plan::Plan &plan, const DataOptions &options,
                   std::unique_ptr<Batches> &batches);

} // namespace hocket::runtime

#endif // HOCKET_TRAINING_BATCHES_H
