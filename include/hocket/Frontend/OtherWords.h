//===- OtherWords.h - what other systems call a line here ------*- C++ -*-===//
//
// The table of docs/coming-from.md, which a test compares with this one.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_FRONTEND_OTHERWORDS_H
#define HOCKET_FRONTEND_OTHERWORDS_H

#include <string>
#include <string_view>
#include <vector>

namespace hocket::syntax {

struct OtherWord {
  std::string word, system;
  /// Lines that mean it here, with PATTERN, DIM and AXES in the place of what
  /// is meant. None: there is nothing like it.
  std::vector<std::string> lines;
  std::string remark; ///< may be empty
};

const std::vector<OtherWord> &otherWords();
/// Null if no other system has the word, or it is none of them that is known.
const OtherWord *findOtherWord(std::string_view word);
/// "'psum' of JAX is here: sync PATTERN fwd_post all_reduce over AXES".
std::string noteOf(const OtherWord &word);

} // namespace hocket::syntax

#endif // HOCKET_FRONTEND_OTHERWORDS_H
