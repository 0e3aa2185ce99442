//===- LibraryTest.cpp - PTX that is loaded, and launches -----------------===//

#include "test/Gpu/Driver/TestDriver.h"

using namespace hocket::lookalike;

namespace {

class LibraryTest : public DriverTest {
protected:
  Result load(const std::string &code) {
    return cu.libraryLoadData(&library, code.c_str(), nullptr, nullptr, 0,
                              nullptr, nullptr, 0);
  }
};

TEST_F(LibraryTest, CodeThatDoesNotRun) {
  EXPECT_EQ(load("\x7f"
                 "ELF"),
            NoBinaryForGpu);
  EXPECT_EQ(load("\x50\xed\x55\xba"), NoBinaryForGpu);
  EXPECT_EQ(load("\xb1\x43\x62\x46"), NoBinaryForGpu);
  EXPECT_EQ(found(), "");
  EXPECT_EQ(load(".version 8.0\n.target sm_80\n.entry k() { 5 }"), InvalidPtx);
  EXPECT_EQ(load(".version 8.0\n.target sm_90"), InvalidPtx);
  EXPECT_EQ(load(".version 8.0\n.target sm_80a"), Success);
  EXPECT_EQ(load(".version 9.1\n.target sm_80"), UnsupportedPtxVersion);
  EXPECT_EQ(load(".version 9.0\n.target sm_70"), Success);
  EXPECT_EQ(
      found(),
      "library 4:3: expected an instruction, found '5'\n"
      "library 5: PTX for 'sm_90' does not run on a chip of sm_80\n"
      "library 7: PTX of version 9.1 is newer than the 9.0 that the driver "
      "knows\n");
}

TEST_F(LibraryTest, CodeForOneChipOrOneFamily) {
  auto code = [](const char *target) {
    return std::string(".version 9.0\n.target ") + target;
  };
  startWithContext({{"CHIP", "103"}});
  EXPECT_EQ(load(code("sm_90")), Success);
  EXPECT_EQ(load(code("sm_100f")), Success);
  EXPECT_EQ(load(code("sm_103a")), Success);
  EXPECT_EQ(load(code("sm_100a")), InvalidPtx);
  EXPECT_EQ(load(code("sm_90f")), InvalidPtx);
  EXPECT_EQ(found(),
            "library 4: PTX for 'sm_100a' does not run on a chip of sm_103\n"
            "library 5: PTX for 'sm_90f' does not run on a chip of sm_103\n");
}

TEST_F(LibraryTest, OptionsAreRefused) {
  int option = 0;
  void *value = nullptr;
  EXPECT_EQ(cu.libraryLoadData(&library, addText, &option, &value, 1, nullptr,
                               nullptr, 0),
            InvalidValue);
  EXPECT_EQ(cu.libraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr,
                               nullptr, 0),
            InvalidValue);
  EXPECT_EQ(found(), "cuLibraryLoadData is given options, which the look-alike "
                     "does not know\n"
                     "cuLibraryLoadData is given no code\n");
}

TEST_F(LibraryTest, NamesAndHandles) {
  Function f = add();
  Kernel kernel = nullptr, again = nullptr;
  EXPECT_EQ(cu.libraryGetKernel(&kernel, library, "sub"), NotFound);
  EXPECT_EQ(cu.libraryGetKernel(&kernel, library, "add"), Success);
  EXPECT_EQ(cu.libraryGetKernel(&again, library, "add"), Success);
  EXPECT_EQ(kernel, again);
  EXPECT_EQ(cu.libraryUnload(library), Success);
  EXPECT_EQ(cu.libraryUnload(library), invalidHandle);
  EXPECT_EQ(cu.kernelGetFunction(&f, kernel), invalidHandle);
  Stream s = stream();
  EXPECT_EQ(launch(f, s, 0, 0, 1), invalidHandle);
  EXPECT_EQ(found(),
            "cuLibraryUnload is given a library that does not exist\n"
            "cuKernelGetFunction is given a kernel that does not exist\n"
            "cuLaunchKernel is given a function that does not exist\n");
}

TEST_F(LibraryTest, KernelsThatTheInterpreterDoesNotKnow) {
  ASSERT_EQ(load(".version 8.0\n.target sm_80\n.entry k() {\nfoo.b32;\n}"),
            Success);
  Kernel kernel = nullptr;
  Function f = nullptr;
  EXPECT_EQ(cu.libraryGetKernel(&kernel, library, "k"), Success);
  EXPECT_EQ(cu.kernelGetFunction(&f, kernel), InvalidPtx);
  EXPECT_EQ(found(),
            "library 1:4: foo.b32: the instruction is not supported\n");
}

TEST_F(LibraryTest, AttributesOfFunctions) {
  Function f = function(".version 8.0\n.target sm_80\n.address_size 64\n"
                        ".entry k(.param .u32 n) {\n.shared .b8 s[1024];\n"
                        ".local .b8 l[16];\n.reg .b32 %r<3>;\n"
                        "mov.u32 %r1, 1; add.u32 %r2, %r1, %r1;\nret;\n}",
                        "k");
  int value = 0;
  auto attribute = [&](FunctionAttribute which) {
    EXPECT_EQ(cu.funcGetAttribute(&value, which, f), Success);
    return value;
  };
  EXPECT_EQ(attribute(SharedSizeBytes), 1024);
  EXPECT_EQ(attribute(LocalSizeBytes), 16);
  EXPECT_GE(attribute(NumRegs), 2);
  EXPECT_EQ(attribute(MaxDynamicSharedSizeBytes), 47 * 1024);

  Stream s = stream();
  uint32_t n = 0;
  void *parameters[] = {&n};
  auto launch = [&](unsigned shared) {
    return cu.launchKernel(f, 1, 1, 1, 1, 1, 1, shared, s, parameters, nullptr);
  };
  EXPECT_EQ(launch(47 * 1024), Success);
  EXPECT_EQ(launch(48 * 1024), InvalidValue);
  EXPECT_EQ(cu.funcSetAttribute(f, MaxDynamicSharedSizeBytes, 162 * 1024),
            Success);
  EXPECT_EQ(launch(162 * 1024), Success);
  EXPECT_EQ(cu.funcSetAttribute(f, MaxDynamicSharedSizeBytes, 163 * 1024),
            InvalidValue);
  EXPECT_EQ(cu.funcSetAttribute(f, NumRegs, 1), InvalidValue);
  EXPECT_EQ(cu.funcGetAttribute(&value, FunctionAttribute(2), f), InvalidValue);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(found(),
            "cuLaunchKernel launches 'k' with 49152 bytes of dynamic shared "
            "memory; 48128 are set for it\n"
            "cuFuncSetAttribute asks for 166912 bytes of dynamic shared "
            "memory; the chip has 165888 for 'k'\n"
            "cuFuncSetAttribute sets attribute 4, which cannot be set\n"
            "cuFuncGetAttribute is asked for attribute 2, which the look-alike "
            "does not know\n");
}

TEST_F(LibraryTest, SizesOfLaunches) {
  Function f = add();
  Stream s = stream();
  DeviceAddress x = allocate(4);
  void *parameters[] = {&x, &x}, *one[] = {&x, nullptr};
  auto launch = [&](unsigned gridX, unsigned gridY, unsigned blockX,
                    unsigned blockZ) {
    return cu.launchKernel(f, gridX, gridY, 1, blockX, 1, blockZ, 0, s,
                           parameters, nullptr);
  };
  EXPECT_EQ(launch(0, 1, 1, 1), InvalidValue);
  EXPECT_EQ(launch(1, 65536, 1, 1), InvalidValue);
  EXPECT_EQ(launch(1, 1, 1025, 1), InvalidValue);
  EXPECT_EQ(launch(1, 1, 1, 65), InvalidValue);
  EXPECT_EQ(cu.launchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, one, nullptr),
            InvalidValue);
  EXPECT_EQ(cu.launchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, parameters, one),
            InvalidValue);
  std::string grid = "cuLaunchKernel launches 'add' with a grid of ",
              block = "cuLaunchKernel launches 'add' with blocks of ",
              grids = "; its sizes are 1 to 2147483647, 65535 and 65535\n",
              blocks = "; they have 1 to 1024 threads, at most 64 in z\n";
  EXPECT_EQ(found(),
            grid + "(0, 1, 1)" + grids + grid + "(1, 65536, 1)" + grids +
                block + "(1025, 1, 1)" + blocks + block + "(1, 1, 65)" +
                blocks +
                "cuLaunchKernel is given no value for parameter 1 of 'add'\n"
                "cuLaunchKernel is given extra options, which the look-alike "
                "does not know\n");
}

TEST_F(LibraryTest, WhatTheInterpreterFinds) {
  Function f = add();
  Stream s = stream();
  DeviceAddress x = allocate(16), y = allocate(16);
  EXPECT_EQ(cu.memsetD8Async(x, 0, 16, s), Success);
  EXPECT_EQ(cu.memsetD8Async(y, 0, 8, s), Success);
  EXPECT_EQ(launch(f, s, x, y, 5), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(
      found(),
      "library 1:13: ld.global.u32 %r2, [%d4]: thread (4, 0, 0) of block (0, "
      "0, 0) reads 4 bytes at 'allocation 1' + 16, which has 16 bytes [kernel "
      "'add' (operation 3 in stream 1)]\n"
      "library 1:14: ld.global.u32 %r3, [%d5]: thread (2, 0, 0) of block (0, "
      "0, 0) reads 4 bytes at 'allocation 2' + 8, where some have no value "
      "[kernel 'add' (operation 3 in stream 1)]\n"
      "library 1:14: ld.global.u32 %r3, [%d5]: thread (4, 0, 0) of block (0, "
      "0, 0) reads 4 bytes at 'allocation 2' + 16, which has 16 bytes [kernel "
      "'add' (operation 3 in stream 1)]\n"
      "library 1:16: st.global.u32 [%d5], %r4: thread (4, 0, 0) of block (0, "
      "0, 0) writes 4 bytes at 'allocation 2' + 16, which has 16 bytes [kernel "
      "'add' (operation 3 in stream 1)]\n");
}

/// Each device has the variables of a library for itself.
TEST_F(LibraryTest, Variables) {
  startWithContext({{"DEVICES", "2"}});
  Function f = function(".version 8.0\n.target sm_80\n.address_size 64\n"
                        ".global .u32 count = 5;\n"
                        ".entry k(.param .u64 to) {\n"
                        ".reg .b32 %r<2>; .reg .b64 %d<2>;\n"
                        "ld.param.u64 %d1, [to];\n"
                        "ld.global.u32 %r1, [count];\n"
                        "add.u32 %r1, %r1, 1;\n"
                        "st.global.u32 [count], %r1;\n"
                        "st.global.u32 [%d1], %r1;\nret;\n}",
                        "k");
  auto run = [&] {
    Stream s = stream();
    DeviceAddress x = allocate(4);
    uint32_t value = 0;
    EXPECT_EQ(launch(f, s, x, 0, 1), Success);
    EXPECT_EQ(cu.memcpyDtoHAsync(&value, x, 4, s), Success);
    EXPECT_EQ(cu.streamSynchronize(s), Success);
    return value;
  };
  EXPECT_EQ(run(), 6u);
  EXPECT_EQ(run(), 7u);
  Context other = nullptr;
  ASSERT_EQ(cu.devicePrimaryCtxRetain(&other, 1), Success);
  ASSERT_EQ(cu.ctxSetCurrent(other), Success);
  Stream t = stream();
  EXPECT_EQ(launch(f, t, 0, 0, 1), invalidHandle);
  EXPECT_EQ(found(), "cuLaunchKernel is given a function of another device\n");
  Kernel kernel = nullptr;
  EXPECT_EQ(cu.libraryGetKernel(&kernel, library, "k"), Success);
  EXPECT_EQ(cu.kernelGetFunction(&f, kernel), Success);
  EXPECT_EQ(run(), 6u);
}

TEST_F(LibraryTest, VariablesAreNotCopied) {
  Function f = function(".version 8.0\n.target sm_80\n.address_size 64\n"
                        ".global .u32 count;\n.entry k(.param .u64 to) {\n"
                        ".reg .b64 %d<3>;\nld.param.u64 %d1, [to];\n"
                        "mov.u64 %d2, count;\nst.global.u64 [%d1], %d2;\n"
                        "ret;\n}",
                        "k");
  Stream s = stream();
  DeviceAddress x = allocate(8), count = 0;
  EXPECT_EQ(launch(f, s, x, 0, 1), Success);
  EXPECT_EQ(cu.memcpyDtoHAsync(&count, x, 8, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), Success);
  EXPECT_EQ(cu.memsetD8Async(count, 0, 4, s), InvalidValue);
  EXPECT_EQ(found(), "cuMemsetD8Async writes 4 bytes at 'count', a variable of "
                     "a library, which no copy may touch\n");
}

TEST_F(LibraryTest, RegistersFitIntoTheLargestBlock) {
  auto registers = [&](const std::string &bounds) {
    std::string body;
    for (int i = 0; i < 300; ++i)
      body += "mov.u32 %r" + std::to_string(i) + ", 1;\n";
    int value = 0;
    Function f = function(".version 8.0\n.target sm_80\n.entry k() " + bounds +
                              " {\n.reg .b32 %r<300>;\n" + body + "ret;\n}",
                          "k");
    EXPECT_EQ(cu.funcGetAttribute(&value, NumRegs, f), Success);
    return value;
  };
  EXPECT_EQ(registers(""), 64);
  EXPECT_EQ(registers(".maxntid 512"), 128);
  EXPECT_EQ(registers(".reqntid 16, 8"), 255);
}

TEST_F(LibraryTest, AGraphOutlivesItsLibrary) {
  Function f = add();
  Stream s = stream();
  DeviceAddress x = allocate(4);
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  EXPECT_EQ(cu.streamBeginCapture(s, CaptureGlobal), Success);
  EXPECT_EQ(launch(f, s, x, x, 1), Success);
  EXPECT_EQ(cu.streamEndCapture(s, &graph), Success);
  EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), Success);
  EXPECT_EQ(cu.libraryUnload(library), Success);
  EXPECT_EQ(cu.graphLaunch(exec, s), Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(), "kernel 'add' (node 1 of graph 1, operation 1 in stream "
                     "1) runs after its library is unloaded\n");
}

TEST_F(LibraryTest, ALaunchWithoutAnEnd) {
  startWithContext({{"STEPS", "1000"}});
  Function f = function(".version 8.0\n.target sm_80\n.entry k() {\n"
                        "again:\nbra again;\n}",
                        "k");
  Stream s = stream();
  EXPECT_EQ(cu.launchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, nullptr, nullptr),
            Success);
  EXPECT_EQ(cu.streamSynchronize(s), LaunchFailed);
  EXPECT_EQ(found(),
            "library 1:5: bra again: thread (0, 0, 0) of block (0, 0, 0) is "
            "still here after 1000 instructions of warps [kernel 'k' "
            "(operation 1 in stream 1)]\n");
}

} // namespace
