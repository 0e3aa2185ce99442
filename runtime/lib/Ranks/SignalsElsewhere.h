//===- SignalsElsewhere.h - a thread that no signal reaches ----*- C++ -*-===//

#ifndef HOCKET_LIB_RANKS_SIGNALSELSEWHERE_H
#define HOCKET_LIB_RANKS_SIGNALSELSEWHERE_H

#include <csignal>
#include <initializer_list>

namespace hocket::runtime {

/// While one lives, no signal comes to this thread, except its own faults;
/// nor, ever, to threads that it starts meanwhile.
class SignalsElsewhere {
public:
  SignalsElsewhere() {
    sigset_t all;
    sigfillset(&all);
    for (int ownFault : {SIGBUS, SIGSEGV, SIGILL, SIGFPE})
      sigdelset(&all, ownFault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~SignalsElsewhere() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalsElsewhere(const SignalsElsewhere &) = delete;
  SignalsElsewhere &operator=(const SignalsElsewhere &) = delete;

private:
  sigset_t before;
};

} // namespace hocket::runtime

#endif // HOCKET_LIB_RANKS_SIGNALSELSEWHERE_H
