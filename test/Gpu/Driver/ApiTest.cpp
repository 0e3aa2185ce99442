//===- ApiTest.cpp - Api.h says what cuda.h says --------------------------===//
//
// Compiled where a toolkit's cuda.h is found. Types differ in name, so they are
// compared by what they are: integers and enumerations by size, pointers by
// what they point to.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Driver/Api.h"
#include "test/Gpu/Driver/Codes.h"
#include "test/Gpu/Driver/TestDriver.h"
#include <cuda.h>
#include <type_traits>

namespace cuda = hocket::runtime::cuda;

namespace {

template <typename A, typename B> struct Same;

template <typename A, typename B> constexpr bool isSameValue() {
  constexpr bool numbers = (std::is_integral_v<A> || std::is_enum_v<A>) &&
                           (std::is_integral_v<B> || std::is_enum_v<B>);
  if constexpr (std::is_same_v<A, B>)
    return true;
  else if constexpr (numbers)
    return sizeof(A) == sizeof(B);
  else
    return Same<A, B>::value;
}

template <typename A, typename B> struct Same : std::false_type {};
template <> struct Same<cuda::DeviceUuid, CUuuid> {
  static constexpr bool value = sizeof(cuda::DeviceUuid) == sizeof(CUuuid) &&
                                alignof(cuda::DeviceUuid) == alignof(CUuuid);
};
template <typename A, typename B> struct Same<A *, B *> {
  static constexpr bool value =
      std::is_const_v<A> == std::is_const_v<B> &&
      isSameValue<std::remove_const_t<A>, std::remove_const_t<B>>();
};
template <typename A, typename... As, typename B, typename... Bs>
struct Same<A(As...), B(Bs...)> {
  static constexpr bool value() {
    if constexpr (sizeof...(As) != sizeof...(Bs))
      return false;
    else
      return isSameValue<A, B>() && (isSameValue<As, Bs>() && ...);
  }
};

static_assert(Same<int(int *), CUresult(int *)>::value());
static_assert(!Same<int(int *), CUresult(long *)>::value());
static_assert(!Same<int(int *), CUresult(const int *)>::value());
static_assert(!Same<int(int), CUresult(int, int)>::value());
static_assert(!Same<int(cuda::Stream), CUresult(CUevent)>::value());

#define HOCKET_COMPARE(symbol, name, parameters)                               \
  static_assert(Same<cuda::Result parameters, decltype(::symbol)>::value(),    \
                #symbol);
namespace compared {
using namespace hocket::runtime::cuda;
HOCKET_CUDA_DRIVER_FUNCTIONS(HOCKET_COMPARE)
HOCKET_CUDA_MORE_FUNCTIONS(HOCKET_COMPARE)
} // namespace compared
#undef HOCKET_COMPARE

TEST(DriverApi, CodesEqualThoseOfTheHeader) {
  EXPECT_EQ(int(cuda::Success), int(CUDA_SUCCESS));
  EXPECT_EQ(int(cuda::InvalidValue), int(CUDA_ERROR_INVALID_VALUE));
  EXPECT_EQ(int(cuda::OutOfMemory), int(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_EQ(int(cuda::NotInitialized), int(CUDA_ERROR_NOT_INITIALIZED));
  EXPECT_EQ(int(cuda::NoDevice), int(CUDA_ERROR_NO_DEVICE));
  EXPECT_EQ(int(cuda::InvalidDevice), int(CUDA_ERROR_INVALID_DEVICE));
  EXPECT_EQ(int(cuda::InvalidImage), int(CUDA_ERROR_INVALID_IMAGE));
  EXPECT_EQ(int(cuda::InvalidContext), int(CUDA_ERROR_INVALID_CONTEXT));
  EXPECT_EQ(int(cuda::NoBinaryForGpu), int(CUDA_ERROR_NO_BINARY_FOR_GPU));
  EXPECT_EQ(int(cuda::InvalidPtx), int(CUDA_ERROR_INVALID_PTX));
  EXPECT_EQ(int(cuda::UnsupportedPtxVersion),
            int(CUDA_ERROR_UNSUPPORTED_PTX_VERSION));
  EXPECT_EQ(int(cuda::NotFound), int(CUDA_ERROR_NOT_FOUND));
  EXPECT_EQ(int(cuda::NotReady), int(CUDA_ERROR_NOT_READY));
  EXPECT_EQ(int(cuda::IllegalAddress), int(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_EQ(int(cuda::LaunchOutOfResources),
            int(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES));
  EXPECT_EQ(int(cuda::LaunchTimeout), int(CUDA_ERROR_LAUNCH_TIMEOUT));
  EXPECT_EQ(int(cuda::Assert), int(CUDA_ERROR_ASSERT));
  EXPECT_EQ(int(cuda::HardwareStackError),
            int(CUDA_ERROR_HARDWARE_STACK_ERROR));
  EXPECT_EQ(int(cuda::MisalignedAddress), int(CUDA_ERROR_MISALIGNED_ADDRESS));
  EXPECT_EQ(int(cuda::LaunchFailed), int(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_EQ(int(cuda::StreamCaptureUnsupported),
            int(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
  EXPECT_EQ(int(cuda::StreamCaptureInvalidated),
            int(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
  EXPECT_EQ(int(cuda::StreamCaptureUnjoined),
            int(CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
  EXPECT_EQ(int(cuda::StreamCaptureIsolation),
            int(CUDA_ERROR_STREAM_CAPTURE_ISOLATION));
  EXPECT_EQ(int(cuda::StreamCaptureImplicit),
            int(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT));
  EXPECT_EQ(int(cuda::StreamCaptureWrongThread),
            int(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD));
}

TEST(DriverApi, NumbersEqualThoseOfTheHeader) {
  EXPECT_EQ(int(cuda::MaxThreadsPerBlock),
            int(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(int(cuda::MaxGridDimX), int(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X));
  EXPECT_EQ(int(cuda::MultiprocessorCount),
            int(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  EXPECT_EQ(int(cuda::ComputeCapabilityMajor),
            int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(int(cuda::ComputeCapabilityMinor),
            int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  EXPECT_EQ(int(cuda::MaxSharedMemoryPerBlockOptin),
            int(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  EXPECT_EQ(int(cuda::SharedSizeBytes),
            int(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  EXPECT_EQ(int(cuda::LocalSizeBytes), int(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  EXPECT_EQ(int(cuda::NumRegs), int(CU_FUNC_ATTRIBUTE_NUM_REGS));
  EXPECT_EQ(int(cuda::MaxDynamicSharedSizeBytes),
            int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(int(cuda::StreamNonBlocking), int(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(int(cuda::EventDefault), int(CU_EVENT_DEFAULT));
  EXPECT_EQ(int(cuda::EventDisableTiming), int(CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(int(cuda::EventRecordDefault), int(CU_EVENT_RECORD_DEFAULT));
  EXPECT_EQ(int(cuda::EventRecordExternal), int(CU_EVENT_RECORD_EXTERNAL));
  EXPECT_EQ(int(cuda::HostAllocPortable), int(CU_MEMHOSTALLOC_PORTABLE));
  EXPECT_EQ(int(cuda::CaptureGlobal), int(CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(int(cuda::CaptureThread), int(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_EQ(int(cuda::CaptureRelaxed), int(CU_STREAM_CAPTURE_MODE_RELAXED));
}

TEST(DriverApi, MoreCodesEqualThoseOfTheHeader) {
  EXPECT_EQ(int(hocket::lookalike::InvalidHandle),
            int(CUDA_ERROR_INVALID_HANDLE));
  EXPECT_EQ(int(hocket::lookalike::IllegalState),
            int(CUDA_ERROR_ILLEGAL_STATE));
  EXPECT_EQ(int(hocket::lookalike::NotPermitted),
            int(CUDA_ERROR_NOT_PERMITTED));
  EXPECT_EQ(int(hocket::lookalike::NotSupported),
            int(CUDA_ERROR_NOT_SUPPORTED));
  EXPECT_EQ(int(hocket::lookalike::StreamCaptureMerge),
            int(CUDA_ERROR_STREAM_CAPTURE_MERGE));
  EXPECT_EQ(int(hocket::lookalike::StreamCaptureUnmatched),
            int(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED));
  EXPECT_EQ(int(hocket::lookalike::CapturedEvent),
            int(CUDA_ERROR_CAPTURED_EVENT));
}

using NamesTest = hocket::lookalike::DriverTest;

TEST_F(NamesTest, NamesEqualThoseOfTheHeader) {
  const char *name = nullptr;
#define HOCKET_CHECK(code)                                                     \
  EXPECT_EQ(cu.getErrorName(int(code), &name), 0);                             \
  EXPECT_STREQ(name, #code);
  HOCKET_CHECK(CUDA_SUCCESS)
  HOCKET_CHECK(CUDA_ERROR_INVALID_VALUE)
  HOCKET_CHECK(CUDA_ERROR_OUT_OF_MEMORY)
  HOCKET_CHECK(CUDA_ERROR_NOT_INITIALIZED)
  HOCKET_CHECK(CUDA_ERROR_DEINITIALIZED)
  HOCKET_CHECK(CUDA_ERROR_DEVICE_UNAVAILABLE)
  HOCKET_CHECK(CUDA_ERROR_NO_DEVICE)
  HOCKET_CHECK(CUDA_ERROR_INVALID_DEVICE)
  HOCKET_CHECK(CUDA_ERROR_INVALID_IMAGE)
  HOCKET_CHECK(CUDA_ERROR_INVALID_CONTEXT)
  HOCKET_CHECK(CUDA_ERROR_NO_BINARY_FOR_GPU)
  HOCKET_CHECK(CUDA_ERROR_ECC_UNCORRECTABLE)
  HOCKET_CHECK(CUDA_ERROR_INVALID_PTX)
  HOCKET_CHECK(CUDA_ERROR_NVLINK_UNCORRECTABLE)
  HOCKET_CHECK(CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
  HOCKET_CHECK(CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
  HOCKET_CHECK(CUDA_ERROR_OPERATING_SYSTEM)
  HOCKET_CHECK(CUDA_ERROR_INVALID_HANDLE)
  HOCKET_CHECK(CUDA_ERROR_ILLEGAL_STATE)
  HOCKET_CHECK(CUDA_ERROR_NOT_FOUND)
  HOCKET_CHECK(CUDA_ERROR_NOT_READY)
  HOCKET_CHECK(CUDA_ERROR_ILLEGAL_ADDRESS)
  HOCKET_CHECK(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
  HOCKET_CHECK(CUDA_ERROR_LAUNCH_TIMEOUT)
  HOCKET_CHECK(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE)
  HOCKET_CHECK(CUDA_ERROR_CONTEXT_IS_DESTROYED)
  HOCKET_CHECK(CUDA_ERROR_ASSERT)
  HOCKET_CHECK(CUDA_ERROR_HARDWARE_STACK_ERROR)
  HOCKET_CHECK(CUDA_ERROR_ILLEGAL_INSTRUCTION)
  HOCKET_CHECK(CUDA_ERROR_MISALIGNED_ADDRESS)
  HOCKET_CHECK(CUDA_ERROR_INVALID_ADDRESS_SPACE)
  HOCKET_CHECK(CUDA_ERROR_INVALID_PC)
  HOCKET_CHECK(CUDA_ERROR_LAUNCH_FAILED)
  HOCKET_CHECK(CUDA_ERROR_NOT_PERMITTED)
  HOCKET_CHECK(CUDA_ERROR_NOT_SUPPORTED)
  HOCKET_CHECK(CUDA_ERROR_SYSTEM_NOT_READY)
  HOCKET_CHECK(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
  HOCKET_CHECK(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
  HOCKET_CHECK(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
  HOCKET_CHECK(CUDA_ERROR_STREAM_CAPTURE_MERGE)
  HOCKET_CHECK(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED)
  HOCKET_CHECK(CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
  HOCKET_CHECK(CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
  HOCKET_CHECK(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
  HOCKET_CHECK(CUDA_ERROR_CAPTURED_EVENT)
  HOCKET_CHECK(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
  HOCKET_CHECK(CUDA_ERROR_UNKNOWN)
#undef HOCKET_CHECK
}

} // namespace
