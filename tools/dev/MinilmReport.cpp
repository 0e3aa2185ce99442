//===- MinilmReport.cpp - what a run of the MiniLM example gave -----------===//
//
// minilm-report SENTENCES OUTPUT REFERENCE
//
// Prints the sentences, the cosine similarity of their embeddings in OUTPUT,
// and how far those are from PyTorch's in REFERENCE (`embeddings` and
// `embeddings_f64`). Exits with 1 if they are further than float32 explains.
//
//===----------------------------------------------------------------------===//

#include "hocket/Io/TensorFiles.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

using namespace hocket;
using runtime::Status;

namespace {

// PyTorch's own float32 result is 1e-7 away from float64; another gelu or a
// forgotten padding mask is 2e-4 and more.
constexpr double tolerance = 2e-6;

struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<double> values;

  double at(int64_t row, int64_t column) const {
    return values[row * columns + column];
  }
};

Status readMatrix(const runtime::TensorFiles &files, const std::string &name,
                  Matrix &matrix) {
  runtime::TensorDescription description;
  if (!files.describe(name, description))
    return Status::userError(files.name() + " has no tensor '" + name + "'");
  if (description.dims.size() != 2)
    return Status::userError("tensor '" + name + "' in " + files.name() +
                             " has " + std::to_string(description.dims.size()) +
                             " dims, expected 2: sentence and hidden");
  matrix.rows = description.dims[0];
  matrix.columns = description.dims[1];
  matrix.values.resize(matrix.rows * matrix.columns);
  return files.read(name, {description.dims, {0, 0}, description.dims},
                    plan::DType::F64, matrix.values.data());
}

double farthest(const Matrix &a, const Matrix &b) {
  double distance = 0;
  for (size_t i = 0; i < a.values.size(); ++i) {
    double difference = std::fabs(a.values[i] - b.values[i]);
    // A NaN is infinitely far, and no maximum would show it.
    distance =
        std::isnan(difference) ? INFINITY : std::max(distance, difference);
  }
  return distance;
}

double cosine(const Matrix &m, int64_t a, int64_t b) {
  double ab = 0, aa = 0, bb = 0;
  for (int64_t i = 0; i < m.columns; ++i) {
    ab += m.at(a, i) * m.at(b, i);
    aa += m.at(a, i) * m.at(a, i);
    bb += m.at(b, i) * m.at(b, i);
  }
  return ab / std::sqrt(aa * bb);
}

void printSentences(const char *path, const Matrix &embeddings) {
  constexpr size_t width = 68;
  std::ifstream file(path);
  std::string sentence;
  for (int64_t row = 0; row < embeddings.rows; ++row) {
    std::getline(file, sentence);
    if (sentence.size() > width)
      sentence = sentence.substr(0, width - 4) + " ...";
    std::printf("  %c  %s\n", char('A' + row), sentence.c_str());
  }
}

void printSimilarity(const Matrix &embeddings) {
  std::printf("\n   ");
  for (int64_t column = 0; column < embeddings.rows; ++column)
    std::printf("%8c", char('A' + column));
  std::printf("\n");
  for (int64_t row = 0; row < embeddings.rows; ++row) {
    std::printf("  %c", char('A' + row));
    for (int64_t column = 0; column < embeddings.rows; ++column)
      std::printf("%8.4f", cosine(embeddings, row, column));
    std::printf("\n");
  }
}

/// Reads the only tensor of `output` and the two of `reference`.
Status readAll(const char *output, const char *reference, Matrix &ours,
               Matrix &single, Matrix &exact) {
  runtime::TensorFiles outputs("output"), references("reference");
  Status status = outputs.add(output);
  if (status.ok())
    status = references.add(reference);
  if (!status.ok())
    return status;
  if (outputs.tensorNames().size() != 1)
    return Status::userError(outputs.name() + " has " +
                             std::to_string(outputs.tensorNames().size()) +
                             " tensors, expected the embeddings only");
  status = readMatrix(outputs, outputs.tensorNames()[0], ours);
  if (status.ok())
    status = readMatrix(references, "embeddings", single);
  if (status.ok())
    status = readMatrix(references, "embeddings_f64", exact);
  if (status.ok() && (ours.rows != exact.rows || ours.columns != exact.columns))
    status =
        Status::userError("the embeddings are [" + std::to_string(ours.rows) +
                          ", " + std::to_string(ours.columns) +
                          "], expected [" + std::to_string(exact.rows) + ", " +
                          std::to_string(exact.columns) + "]");
  return status;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: minilm-report SENTENCES OUTPUT REFERENCE\n");
    return 2;
  }
  Matrix ours, single, exact;
  Status status = readAll(argv[2], argv[3], ours, single, exact);
  if (!status.ok()) {
    std::fprintf(stderr, "error: %s\n", status.message.c_str());
    return status.exitStatus();
  }
  printSentences(argv[1], ours);
  printSimilarity(ours);
  double distance = farthest(ours, exact);
  std::printf("\nfarthest element from PyTorch in float32: %.2g\n",
              farthest(ours, single));
  std::printf("farthest element from PyTorch in float64: %.2g "
              "(PyTorch's own float32: %.2g)\n",
              distance, farthest(single, exact));
  if (distance <= tolerance)
    return 0;
  std::fprintf(stderr,
               "error: the embeddings are %.2g from PyTorch's, expected at "
               "most %.2g\n",
               distance, tolerance);
  return 1;
}
