//===- Extents.h - which bytes a launch touched ----------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_EXTENTS_H
#define HOCKET_TEST_GPU_PTX_EXTENTS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace hocket::ptx {

struct Allocation;

/// Bytes from `begin` to before `end`.
struct Extent {
  uint64_t begin = 0, end = 0;
};

/// Sorts extents and unites those that meet or overlap.
void unite(std::vector<Extent> &extents);

/// What a launch touched of one allocation: sorted extents with gaps between.
struct Touched {
  std::vector<Extent> read, written;
};

/// Collects accesses. Those of one instruction mostly follow each other in
/// memory, so each instruction has an extent that grows while they do.
class TouchRecorder {
public:
  explicit TouchRecorder(size_t steps) : open(steps) {}

  void add(uint32_t step, Allocation *allocation, uint64_t at, uint64_t bytes,
           bool reads, bool writes) {
    Open &now = open[step];
    if (now.allocation == allocation && at <= now.extent.end &&
        at + bytes >= now.extent.begin) {
      now.extent.begin = at < now.extent.begin ? at : now.extent.begin;
      now.extent.end =
          at + bytes > now.extent.end ? at + bytes : now.extent.end;
      return;
    }
    close(now);
    now = {allocation, {at, at + bytes}, reads, writes};
  }

  /// By the base of the allocation.
  std::map<uint64_t, Touched> take();

private:
  struct Open {
    Allocation *allocation = nullptr;
    Extent extent;
    bool reads = false, writes = false;
  };
  /// Extents, united whenever they have become twice as many.
  struct Growing {
    void add(Extent extent);
    std::vector<Extent> extents;
    size_t limit = 1024;
  };
  void close(const Open &done);

  std::vector<Open> open; ///< by step
  std::map<Allocation *, Growing> read, written;
};

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_EXTENTS_H
