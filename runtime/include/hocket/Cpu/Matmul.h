//===- Matmul.h - products of strided matrices, fused epilogues -*- C++ -*-===//

#ifndef HOCKET_CPU_MATMUL_H
#define HOCKET_CPU_MATMUL_H

#include "hocket/Cpu/Call.h"
#include <memory>
#include <optional>

namespace hocket::runtime {

/// A weight in the layout that oneDNN likes best, and as it was given for the
/// products that cannot read that. Where the weight was is free once it is
/// packed.
class PackedWeight {
public:
  PackedWeight();
  ~PackedWeight();
  /// Chooses the layout for b [k, n] met by `m` rows and allocates it. For a
  /// type that oneDNN has no product for there is no layout.
  static std::unique_ptr<PackedWeight> make(const Operand &b, int64_t m);
  int64_t bytes() const;
  /// Has pack() copy b as well; after it, while b is still there, copies at
  /// once. The copy has b's strides and lives as long as the pack.
  void *keepPlain();
  /// Reads b, writes what products will read.
  Status pack();

  struct Layout;
  const Layout *layout() const { return chosen.get(); } // null if none

private:
  std::unique_ptr<Layout> chosen;
  Operand given;
  std::vector<char> kept;
  bool isPacked = false;
};

struct PostOperation {
  plan::PostOp op;
  Operand operand; // Add, Mul: the shape of c, strides 0 where broadcast
};

/// See plan::Matmul. `pack`, if given, holds b and outlives the call; it is
/// packed before the call runs, best after the call is made.
struct MatmulArguments {
  Operand a, b, c;
  std::optional<Operand> bias; // [n]
  std::vector<PostOperation> post;
  PackedWeight *pack = nullptr;
};

/// Products of F32, and of BF16 with a result of BF16 or F32, run in oneDNN,
/// other types in a loop of our own. A layout for
/// which oneDNN has only its reference loop is copied into scratch; if it has
/// nothing better even then, that is an error, never silent slowness.
Status makeMatmul(const MatmulArguments &arguments, int threads,
                  std::unique_ptr<Call> &call);

} // namespace hocket::runtime

#endif // HOCKET_CPU_MATMUL_H
