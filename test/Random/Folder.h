//===- Folder.h - cases written by hand that meet all there is --*- C++ -*-===//
//
// The files of a folder must be equal, without gradients and with them, and
// meet every row of the rules that they show, every kind of every operation,
// and every kind of instruction but those that the target refuses. A page says
// by which file each is met, so that it is the table of all there is: what it
// lacks, or has too much, is an error that says the line.
//
// Of instructions the page has lines
//
//   | `kind` | what computes it | file.hkt |
//   | `kind` | refused: "sentence" | test/Cuda/errors.test |
//   | `kind` | what needs a test, as "words" | test/Cuda/hooks.test |
//
// where the test, named from the folder above the page's, has what is in
// quotes, and of operations and their operands
//
//   | `operation` | 0 | R, S pointwise, P refused | one.hkt, other.hkt |
//
// A file that the target refuses as a whole, with a sentence, has a line
//
//   | `file.hkt` | refused: "sentence" |
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_FOLDER_H
#define HOCKET_TEST_RANDOM_FOLDER_H

#include "Summary.h"
#include <functional>

namespace hocket::random {

/// By name of a file what it meets.
using Coverages = std::map<std::string, Coverage>;

/// The lines of the table of rules that files make: of each row the first of
/// them that meets it. A sentence in `wrong` for each row that none meets.
std::vector<std::string> ruleLines(const Coverages &files,
                                   std::vector<std::string> &wrong);
/// A sentence for each of these lines that a page lacks, and each line of its
/// table of rules that is none of them.
std::vector<std::string> checkRules(const std::string &page,
                                    const std::vector<std::string> &lines);
/// A sentence for each kind of instruction that has no line or no one that
/// holds, and each line of something else. `read` gives the text of a file of
/// the source tree, which is empty if there is none.
std::vector<std::string>
checkInstructions(const std::string &page, const Coverages &files,
                  const std::function<std::string(const std::string &)> &read);
/// Names of operations and of their kinds ("unary sin") that no file has.
std::set<std::string> unseenKinds(const Coverages &files);

struct FolderReport {
  Summary summary;
  std::vector<std::string> wrong;

  /// A line of counts, and one for each thing that is wrong.
  std::string text() const;
};

/// Judges the files of a folder, and the page if it is not "".
FolderReport runFolder(const std::string &folder, const std::string &page,
                       uint64_t seed, CaseKind kind);

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_FOLDER_H
