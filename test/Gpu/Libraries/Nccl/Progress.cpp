//===- Progress.cpp - devices go on while their programs do not -----------===//

#include "test/Gpu/Libraries/Nccl/Progress.h"
#include "test/Gpu/Libraries/Device.h"
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hocket::lookalike {

namespace {

class Progress {
public:
  Progress() {
    std::thread([this] { loop(); }).detach();
  }
  void goOn() {
    std::lock_guard<std::mutex> lock(mutex);
    isWanted = true;
    wanted.notify_one();
  }

private:
  void loop() {
    while (true) {
      std::unique_lock<std::mutex> lock(mutex);
      wanted.wait(lock, [this] { return isWanted; });
      isWanted = false;
      lock.unlock();
      while (stepDriver() == Step::Ran)
        ;
    }
  }

  std::mutex mutex;
  std::condition_variable wanted;
  bool isWanted = false;
};

} // namespace

void goOn() {
  static Progress &progress = *new Progress;
  progress.goOn();
}

} // namespace hocket::lookalike
