//===- Attention.h - an attention as it is drawn ---------------*- C++ -*-===//
//
// What an attention shows to each query, and which ranks have what of it, apart
// from how it is written in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_DRAWING_ATTENTION_H
#define HOCKET_DRAWING_ATTENTION_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hocket::drawing {

/// [begin, end) of heads or positions. Positions of several dims count
/// row-major.
struct Run {
  int64_t begin, end;

  bool operator==(const Run &other) const {
    return begin == other.begin && end == other.end;
  }
};
using Runs = std::vector<Run>; ///< ascending and disjoint

/// Ranks that have the same of batch entry 0.
struct Owner {
  std::vector<int64_t> ranks;
  Runs heads, queries, keys; ///< none of an empty part
  /// Where positions have several dims, the same dim by dim:
  /// "height 0 to 27, width all".
  std::string queriesByDim = {}, keysByDim = {};

  bool hasHead(int64_t head) const {
    for (Run run : heads)
      if (head >= run.begin && head < run.end)
        return true;
    return false;
  }
};

/// Keys that travel (dialects/Nn/Ring.h): hop n > 0 brings a member the part of
/// the member distances[n - 1] before it; hop 0 is of its own keys.
struct DrawnRing {
  int64_t members = 1;
  std::vector<int64_t> distances;
  /// Whose the positions are, in their order.
  struct Part {
    Run positions;
    int64_t member;
  };
  std::vector<Part> parts;
};

struct Attention {
  std::string path;  ///< of the model, or ""
  std::string place; ///< "llama.hkt:39:12", or ""
  std::string mask;  ///< "causal * padding(keep)"
  /// How queries, and keys with values, are placed.
  std::string queryPlacement, keyPlacement;
  std::vector<std::string> notes; ///< sentences
  int64_t heads = 0, queries = 0, keys = 0;
  /// A layout shows or hides so many positions together.
  int64_t block = 1;
  bool isPerHead = false; ///< whether heads see different keys
  /// The keys that a query of a head sees, padding left aside.
  std::function<Runs(int64_t head, int64_t query)> seen;
  std::vector<Owner> owners; ///< by their first rank
  std::optional<DrawnRing> ring;

  std::string name() const { return path.empty() ? place : path; }
};

} // namespace hocket::drawing

#endif // HOCKET_DRAWING_ATTENTION_H
