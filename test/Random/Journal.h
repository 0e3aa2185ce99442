//===- Journal.h - what came of the cases of a long run ---------*- C++ -*-===//
//
// A file with a line of JSON for each case, so that a run that was ended goes
// on where it stood, and says of each case what it met.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TEST_RANDOM_JOURNAL_H
#define HOCKET_TEST_RANDOM_JOURNAL_H

#include "RunCase.h"
#include <fstream>

namespace hocket::random {

class Journal {
public:
  struct Entry {
    CaseResult result; // without text and detail
    Coverage coverage;
  };

  /// Reads what the file has, if there is one. Empty, or a sentence: it cannot
  /// be written, or is of another seed or kind.
  std::string open(const std::string &path, uint64_t seed, CaseKind kind);
  /// What came of a case; null where the file does not say.
  const Entry *find(uint64_t number) const;
  /// Does nothing if no file is open.
  void add(uint64_t number, const Entry &entry);

private:
  std::string head; // seed and kind, as in each line
  std::map<uint64_t, Entry> entries;
  std::ofstream file;
};

} // namespace hocket::random

#endif // HOCKET_TEST_RANDOM_JOURNAL_H
