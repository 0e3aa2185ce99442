//===- MinilmReport.cpp - what a run of the MiniLM example gave -----------===//
//
// minilm-report SENTENCES OUTPUT REFERENCE
//
// Prints the sentences, the cosine similarity of their embeddings in OUTPUT,
// and how far those are from PyTorch's in REFERENCE (`embeddings` and
// `embeddings_f64`). Exits with 1 if they are further than float32 explains.
//
//===----------------------------------------------------------------------===//

#include "FileTensor.h"
#include <cmath>
#include <cstdio>
#include <fstream>

using namespace hocket;
using dev::FileTensor;
using runtime::Status;

namespace {

// PyTorch's own float32 result is 1e-7 away from float64; another gelu or a
// forgotten padding mask is 2e-4 and more.
constexpr double tolerance = 2e-6;

/// Of rows `a` and `b` of a matrix.
double cosine(const FileTensor &matrix, int64_t a, int64_t b) {
  int64_t columns = matrix.dims[1];
  double ab = 0, aa = 0, bb = 0;
  for (int64_t i = 0; i < columns; ++i) {
    double x = matrix.values[a * columns + i];
    double y = matrix.values[b * columns + i];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

void printSentences(const char *path, int64_t count) {
  constexpr size_t width = 68;
  std::ifstream file(path);
  std::string sentence;
  for (int64_t row = 0; row < count; ++row) {
    std::getline(file, sentence);
    if (sentence.size() > width)
      sentence = sentence.substr(0, width - 4) + " ...";
    std::printf("  %c  %s\n", char('A' + row), sentence.c_str());
  }
}

void printSimilarity(const FileTensor &embeddings) {
  int64_t rows = embeddings.dims[0];
  std::printf("\n   ");
  for (int64_t column = 0; column < rows; ++column)
    std::printf("%8c", char('A' + column));
  std::printf("\n");
  for (int64_t row = 0; row < rows; ++row) {
    std::printf("  %c", char('A' + row));
    for (int64_t column = 0; column < rows; ++column)
      std::printf("%8.4f", cosine(embeddings, row, column));
    std::printf("\n");
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: minilm-report SENTENCES OUTPUT REFERENCE\n");
    return 2;
  }
  FileTensor ours, single, exact;
  Status status = dev::readTensor(argv[2], "", ours);
  if (status.ok())
    status = dev::readTensor(argv[3], "embeddings", single);
  if (status.ok())
    status = dev::readTensor(argv[3], "embeddings_f64", exact);
  if (status.ok())
    status = dev::checkSameDims(ours, exact);
  if (!status.ok()) {
    std::fprintf(stderr, "error: %s\n", status.message.c_str());
    return status.exitStatus();
  }
  printSentences(argv[1], ours.dims[0]);
  printSimilarity(ours);
  double distance = dev::farthest(ours, exact);
  std::printf("\nfarthest element from PyTorch in float32: %.2g\n",
              dev::farthest(ours, single));
  std::printf("farthest element from PyTorch in float64: %.2g "
              "(PyTorch's own float32: %.2g)\n",
              distance, dev::farthest(single, exact));
  if (distance <= tolerance)
    return 0;
  std::fprintf(stderr,
               "error: the embeddings are %.2g from PyTorch's, expected at "
               "most %.2g\n",
               distance, tolerance);
  return 1;
}
