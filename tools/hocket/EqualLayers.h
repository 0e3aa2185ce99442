//===- EqualLayers.h - paths that differ in a number only ------*- C++ -*-===//
//
// 96 equal layers are shown once: entries whose paths differ in the number of a
// layer, and that are alike in all else, form one group.
//
//===----------------------------------------------------------------------===//

#ifndef HOCKET_TOOLS_HOCKET_EQUALLAYERS_H
#define HOCKET_TOOLS_HOCKET_EQUALLAYERS_H

#include <string>
#include <vector>

namespace hocket::tool {

struct PathEntry {
  std::string path;
  std::string rest; // all that must be alike
};

struct PathGroup {
  std::string path;            // "h.*.attn", or the path of its only entry
  std::string layers;          // "h.0 to h.11"; empty for one entry
  std::vector<size_t> entries; // their indices, in order
};

/// Every entry in one group; groups in the order of their first entries.
std::vector<PathGroup> groupEqualLayers(const std::vector<PathEntry> &entries);

} // namespace hocket::tool

#endif // HOCKET_TOOLS_HOCKET_EQUALLAYERS_H
