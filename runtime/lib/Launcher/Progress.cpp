//===- Progress.cpp - how much of the weights has been read ---------------===//

#include "Progress.h"
#include <cstdio>
#include <unistd.h>

namespace hocket::runtime {

ProgressSource::ProgressSource(const TensorSource &source, int64_t total)
    : source(source), total(total), isShown(isatty(STDERR_FILENO)),
      last(std::chrono::steady_clock::now()) {}

ProgressSource::~ProgressSource() {
  if (isShown)
    std::fputs("\r\033[K", stderr);
}

Status ProgressSource::read(const std::string &tensor, const Box &box,
                            plan::DType type, void *destination) const {
  Status status = source.read(tensor, box, type, destination);
  int64_t now = done += box.elements();
  if (!isShown || !mutex.try_lock())
    return status;
  constexpr auto pause = std::chrono::milliseconds(100);
  auto time = std::chrono::steady_clock::now();
  if (time - last >= pause && total > 0) {
    last = time;
    std::fprintf(stderr, "\rloading weights %3d%%",
                 int(100 * double(now) / double(total)));
  }
  mutex.unlock();
  return status;
}

int64_t elementsToLoad(const plan::Plan &plan) {
  int64_t elements = 0;
  for (const plan::RankClass &rankClass : plan.classes)
    for (const plan::Instruction &instruction : rankClass.load)
      if (auto *read = std::get_if<plan::ReadParameter>(&instruction.body))
        for (int64_t rank : rankClass.ranks)
          elements +=
              boxOf(plan, plan.parameters[read->tensor], rank).elements();
  return elements;
}

} // namespace hocket::runtime
