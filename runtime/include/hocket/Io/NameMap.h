//===- NameMap.h - names of a file as a model's ----------------*- C++ -*-===//

#ifndef HOCKET_IO_NAMEMAP_H
#define HOCKET_IO_NAMEMAP_H

#include "hocket/Runtime/Status.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hocket::runtime {

/// A name that matches all of `from` is called `to`. In `from`, `*` is any text
/// without a dot and `**` any text; in `to` they stand for what those of `from`
/// matched, in their order:
///   transformer.**=**                 transformer.h.0.ln_1.bias h.0.ln_1.bias
///   blocks.*.wi.*=h.*.mlp.c_fc.*      blocks.3.wi.bias h.3.mlp.c_fc.bias
struct RenameRule {
  std::string from, to;

  /// Nothing where `text` is no FROM=TO with the same stars on both sides.
  static std::optional<RenameRule> parse(const std::string &text);
  /// What `name` is called; nothing if it does not match.
  std::optional<std::string> apply(const std::string &name) const;
};

/// What tensors of a file of weights are called in the model.
struct NameMap {
  std::vector<RenameRule> rules; // those of the command line
  /// What names may begin with, each with its last dot: "transformer.".
  std::vector<std::string> prefixes;
  std::set<std::string> own; // the model's parameters

  /// By the first rule that `name` matches, and else without the longest
  /// prefix that it begins with, unless it is the model's own.
  std::string apply(const std::string &name) const;
};

} // namespace hocket::runtime

#endif // HOCKET_IO_NAMEMAP_H
