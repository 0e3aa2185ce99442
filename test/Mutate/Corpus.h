//===- Corpus.h - the texts and dumps that are mutated ----------*- C++ -*-===//

#ifndef HOCKET_TEST_MUTATE_CORPUS_H
#define HOCKET_TEST_MUTATE_CORPUS_H

#include "Mutations.h"
#include <map>
#include <string>
#include <vector>

namespace hocket::mutate {

/// What is mutated as one: texts of .hkt files, or dumps of a stage.
struct Corpus {
  std::vector<std::string> names; // file, or file and schedule
  std::vector<std::string> texts;
  Stock stock;

  void add(const std::string &name, const std::string &text);
};

/// The .hkt files below the folders, in order, with the files that they name
/// by absolute paths.
Corpus readTexts(const std::vector<std::string> &folders);

/// Dumps of every stage of what compiles of these texts, by stage: each
/// schedule and recipe of a file, some with gradients. Long ones are left out.
/// Files are written in `folder`. Plans, if they are wanted, and nothing else.
std::map<std::string, Corpus>
makeDumps(const Corpus &texts, const std::string &folder, bool wantsPlans);

/// The names of the declarations of a kind ("schedule", "train") in a text.
std::vector<std::string> declared(const std::string &text,
                                  const std::string &kind);

} // namespace hocket::mutate

#endif // HOCKET_TEST_MUTATE_CORPUS_H
