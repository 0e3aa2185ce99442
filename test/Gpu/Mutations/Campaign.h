//===- Campaign.h - many mutations, by a seed ------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_MUTATIONS_CAMPAIGN_H
#define HOCKET_TEST_GPU_MUTATIONS_CAMPAIGN_H

#include "test/Gpu/Mutations/Stock.h"

namespace hocket::mutations {

struct CampaignOptions {
  uint64_t seed = 1, begin = 0, count = 20;
  unsigned jobs = 1;       ///< mutants that run at once
  std::string folder;      ///< for files
  std::string journal;     ///< a line of JSON for each mutant; empty: none
  std::string tests = "*"; ///< filter of CudaKernelTests
  std::set<std::string> programs; ///< of programCases(); empty: all
};

/// Runs the mutations that the journal does not have yet. A seed and a number
/// name one, on one state of compiler and kernels. Of twenty, nine are of the
/// runtime's own kernels, five of generated ones and six of calls.
std::vector<Outcome> runCampaign(const CampaignOptions &options);

/// What a journal has, of this seed.
std::vector<Outcome> readJournal(const std::string &file, uint64_t seed);

/// Why a survivor is none that a test should find; empty if that is not known.
std::string explanationOf(const Outcome &outcome);

/// Tables by family and kind, and the survivors, as Markdown.
std::string reportOf(const std::vector<Outcome> &outcomes);

/// Survivors that nothing explains.
std::vector<Outcome> unexplained(const std::vector<Outcome> &outcomes);

} // namespace hocket::mutations

#endif // HOCKET_TEST_GPU_MUTATIONS_CAMPAIGN_H
