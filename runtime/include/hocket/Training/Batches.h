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

/// The data of a run, step after step. For any thread.
class Batches {
public:
  /// `count` examples, in an order that follows from `seed`.
  Batches(int64_t batch, int64_t count, uint64_t seed)
      : batch(batch), count(count), seed(seed) {}
  virtual ~Batches() = default;

  /// For errors: "data 'text.bin'".
  virtual std::string name() const = 0;
  /// Where in the data row `row` of the batch of `step`, counted from 0, lies.
  int64_t exampleOf(int64_t step, int64_t row) const;
  int64_t examples() const { return count; }
  /// Tokens that a step takes: elements of `tokens`, else rows.
  int64_t tokensOfStep = 0;

  bool describe(const std::string &tensor,
                TensorDescription &description) const;
  /// What `step` takes of `tensor`; see TensorSource.
  Status read(int64_t step, const std::string &tensor, const Box &box,
              plan::DType type, void *destination) const;

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
};

/// The inputs of one step: `step`, its number counted from 0, and slices of the
/// data, which outlives it.
class Batch : public TensorSource {
public:
  Batch(const Batches &data, int64_t step) : data(data), step(step) {}

  std::string name() const override { return data.name(); }
  bool describe(const std::string &tensor,
                TensorDescription &description) const override {
    return data.describe(tensor, description);
  }
  Status read(const std::string &tensor, const Box &box, plan::DType type,
              void *destination) const override {
    return data.read(step, tensor, box, type, destination);
  }

private:
  const Batches &data;
  const int64_t step;
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
