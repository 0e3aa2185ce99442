//===- Extents.cpp - which bytes of its allocations a launch touched ------===//

#include "test/Gpu/Ptx/Extents.h"
#include "test/Gpu/Ptx/Memory.h"
#include <algorithm>

using namespace hocket::ptx;

void hocket::ptx::unite(std::vector<Extent> &extents) {
  std::sort(extents.begin(), extents.end(),
            [](Extent a, Extent b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (Extent extent : extents) {
    if (kept && extent.begin <= extents[kept - 1].end)
      extents[kept - 1].end = std::max(extents[kept - 1].end, extent.end);
    else
      extents[kept++] = extent;
  }
  extents.resize(kept);
}

void TouchRecorder::Growing::add(Extent extent) {
  extents.push_back(extent);
  if (extents.size() < limit)
    return;
  unite(extents);
  limit = std::max<size_t>(1024, 2 * extents.size());
}

void TouchRecorder::close(const Open &done) {
  if (done.allocation && done.reads)
    read[done.allocation].add(done.extent);
  if (done.allocation && done.writes)
    written[done.allocation].add(done.extent);
}

std::map<uint64_t, Touched> TouchRecorder::take() {
  for (const Open &last : open)
    close(last);
  std::map<uint64_t, Touched> touched;
  for (auto &[allocation, growing] : read) {
    unite(growing.extents);
    touched[allocation->base].read = std::move(growing.extents);
  }
  for (auto &[allocation, growing] : written) {
    unite(growing.extents);
    touched[allocation->base].written = std::move(growing.extents);
  }
  return touched;
}
