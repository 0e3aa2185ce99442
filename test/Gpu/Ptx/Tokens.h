//===- Tokens.h - the words of a PTX text ----------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_TOKENS_H
#define HOCKET_TEST_GPU_PTX_TOKENS_H

#include "test/Gpu/Ptx/Syntax.h"

namespace hocket::ptx {

struct Token {
  /// A word holds its dots and double colons: .reg, ld.shared::cta.b32, %tid.x
  enum Kind { Word, Number, String, Sign, End } kind = End;
  std::string text;
  unsigned line = 0;
  uint64_t bits = 0; ///< Number
};

/// The tokens without comments; the last is an End.
std::vector<Token> tokensOf(const std::string &text, const std::string &file);

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_TOKENS_H
