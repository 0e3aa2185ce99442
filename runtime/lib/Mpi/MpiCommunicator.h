//===- MpiCommunicator.h - a rank's end of its messages --------*- C++ -*-===//

#ifndef HOCKET_LIB_MPI_MPICOMMUNICATOR_H
#define HOCKET_LIB_MPI_MPICOMMUNICATOR_H

#include "runtime/lib/Communicator/Exchange.h"
#include "runtime/lib/Mpi/MpiWorld.h"
#include <optional>

namespace hocket::runtime {

class MpiCommunicator : public Communicator {
public:
  MpiCommunicator(MpiWorld &world, int64_t rank);
  ~MpiCommunicator() override;

  int64_t rank() const override { return self; }
  int64_t size() const override { return world.options.ranks; }
  int64_t receivedBytes() const override { return received; }
  int64_t stagingBytes() const override { return staged; }
  const std::vector<int64_t> &receivedFrom(int64_t handle) const override {
    return collectives[handle]->from;
  }
  const std::vector<WaitSpan> &lastWaits() const override { return waits; }
  void abort(const Status &why) override { world.abort(self, why); }
  Status prepare(const CollectiveSpec &spec, int64_t &handle) override;
  Status run(int64_t handle) override;
  Status start(int64_t handle) override;
  Status wait(int64_t handle) override;

private:
  /// A message that is sent or received in every run.
  struct Line {
    Message message;
    bool isReceive;
    LocalMessage *local = nullptr; // to or from a rank of this process, or
    MpiRequest request = 0;
    bool isOpen = false; // begun, and not ended
  };
  struct Prepared {
    CollectiveSpec spec;
    const MpiWorld::Context *context = nullptr;
    int64_t number = 0; // among those of the rank in the set of axes
    std::optional<Exchange> exchange;
    std::vector<char> ownStaging; // of one that is started
    bool isStarted = false;       // it is begun apart from being ended
    std::vector<Line> first, second;
    std::vector<int64_t> from; // bytes received so far, by member
  };

  /// Those of one exchange; an all_reduce has two.
  struct Exchanged {
    int number;
    const std::vector<Message> &receives, &sends;
  };

  void release(Prepared &collective);
  Status bind(Prepared &collective, bool isStarted);
  Status makeLines(Prepared &collective, const Exchanged &exchanged,
                   std::vector<Line> &lines);
  Status makeLine(Prepared &collective, Line &line);
  Status finish(Prepared &collective);
  Status begin(const Prepared &collective, std::vector<Line> &lines);
  Status end(Prepared &collective, std::vector<Line> &lines);
  bool test(Line &line, int64_t &bytes, int &code);
  Status count(Prepared &collective, const Line &line, int64_t bytes);
  std::string lateRanks(const Prepared &collective,
                        const std::vector<Line> &lines, int64_t &first) const;
  Status toldOf(const Prepared &collective, const std::vector<Line> &lines);
  Status timeOut(const Prepared &collective, const std::vector<Line> &lines);
  Status interrupted(const Prepared &collective) const;
  Status failed(const Prepared &collective, const char *what, int code);
  void delay();

  MpiWorld &world;
  const int64_t self;
  uint64_t random;
  int64_t received = 0, staged = 0;
  std::vector<int64_t> counts;                  // of collectives, by set
  std::vector<std::vector<char>> sharedStaging; // the last one is in use
  std::vector<std::unique_ptr<Prepared>> collectives;
  static constexpr size_t mostWaits = 3; // of one run
  std::vector<WaitSpan> waits;           // of the last one
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_MPI_MPICOMMUNICATOR_H
