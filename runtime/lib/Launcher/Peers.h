//===- Peers.h - from whom ranks received, and whether as planned -*- C++ -*-=//

#ifndef HOCKET_LIB_LAUNCHER_PEERS_H
#define HOCKET_LIB_LAUNCHER_PEERS_H

#include "hocket/Launcher/Execute.h"

namespace hocket::runtime {

enum class Stage { Load, Step };

/// From how many others a rank received in one of the collectives that are
/// called `kind`, at most; by rank.
std::vector<int64_t> peersPerRank(const plan::Plan &plan,
                                  const RunReport &report, Stage stage,
                                  const std::string &kind);

/// Whether each rank received from each member of each collective what
/// plan::receivedFrom says; an error names both, what was counted and planned.
Status checkPeers(const plan::Plan &plan, const RunReport &report);

} // namespace hocket::runtime

#endif // HOCKET_LIB_LAUNCHER_PEERS_H
