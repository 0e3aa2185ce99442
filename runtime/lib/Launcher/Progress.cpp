//===- Progress.cpp - how far a run is, on a terminal ---------------------===//

#include "Progress.h"
#include <cstdio>
#include <unistd.h>

namespace hocket::runtime {

ProgressSource::ProgressSource(const TensorSource &source, int64_t total,
                               bool isShown)
    : source(source), total(total), isShown(isShown && isatty(STDERR_FILENO)),
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

StepProgress::StepProgress(int64_t steps)
    : steps(steps), isShown(isatty(STDERR_FILENO)) {}

StepProgress::~StepProgress() {
  if (isShown)
    std::fputs("\r\033[K", stderr);
}

void StepProgress::show(const nlohmann::ordered_json &line) {
  if (!isShown)
    return;
  double loss = 0;
  auto found = line.find("loss");
  if (found != line.end() && found->is_number())
    loss = *found;
  std::fprintf(stderr, "\rstep %lld of %lld, loss %.4f, %.0f tokens/s\033[K",
               static_cast<long long>(line["step"]),
               static_cast<long long>(steps), loss,
               double(line["tokens_per_second"]));
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
