//===- MpiProcessesOfTest.h - the processes of MpiTests --------*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_MPIPROCESSESOFTEST_H
#define HOCKET_TEST_RUNTIME_MPIPROCESSESOFTEST_H

#include "hocket/Runtime/Processes.h"

namespace hocket::test {

runtime::Processes &mpiProcesses();

} // namespace hocket::test

#endif // HOCKET_TEST_RUNTIME_MPIPROCESSESOFTEST_H
