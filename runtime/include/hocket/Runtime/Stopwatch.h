//===- Stopwatch.h - seconds between two moments ---------------*- C++ -*-===//

#ifndef HOCKET_RUNTIME_STOPWATCH_H
#define HOCKET_RUNTIME_STOPWATCH_H

#include <chrono>

namespace hocket::runtime {

class Stopwatch {
public:
  /// Seconds since it was made or last asked.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

} // namespace hocket::runtime

#endif // HOCKET_RUNTIME_STOPWATCH_H
