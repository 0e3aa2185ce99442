//===- Exports.cpp - the functions under the names of the libraries -------===//
//
// A program looks functions up by name (dlsym). Each name here is an indirect
// function: what the loader calls to learn the address of a function gives that
// of a template, so that no list of parameters is written twice.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Cuda/Blas/Api.h"
#include "runtime/lib/Cuda/Dnn/Api.h"
#include "runtime/lib/Cuda/Nccl/Api.h"
#include "test/Gpu/Driver/Lookalike.h"
#include "test/Gpu/Injector/Forward.h"

using namespace hocket::inject;

/// What returns a code can go wrong; anything else is handed on as it is.
template <class Of, class Type> static void *addressOf() {
  if constexpr (Of::canFail)
    return reinterpret_cast<void *>(&Forward<Of, Type>::call);
  else
    return Injector::find(Of::library, Of::name);
}

/// Codes of NCCL are enumerators of int.
template <class Type>
using ResultOf = std::conditional_t<std::is_enum_v<Type>, int, Type>;

#define HOCKET_EXPORT(from, symbol, type, parameters, isCounted)               \
  namespace {                                                                  \
  struct Of_##symbol {                                                         \
    static constexpr const char *library = from, *name = #symbol;              \
    static constexpr bool canFail = isCounted && std::is_same_v<type, int>;    \
  };                                                                           \
  }                                                                            \
  extern "C" void *resolve_##symbol() {                                        \
    return addressOf<Of_##symbol, type(*) parameters>();                       \
  }                                                                            \
  extern "C" type symbol parameters __attribute__((ifunc("resolve"             \
                                                         "_" #symbol)));

namespace hocket::runtime::cuda {

#define HOCKET_EXPORT_DRIVER(symbol, name, parameters)                         \
  HOCKET_EXPORT("libcuda.so.1", symbol, int, parameters, true)
HOCKET_CUDA_DRIVER_FUNCTIONS(HOCKET_EXPORT_DRIVER)

#define HOCKET_EXPORT_BLAS(symbol, type, name, parameters)                     \
  HOCKET_EXPORT("libcublasLt.so.13", symbol, type, parameters, true)
HOCKET_CUDA_BLAS_FUNCTIONS(HOCKET_EXPORT_BLAS)

#define HOCKET_EXPORT_DNN(symbol, type, name, parameters)                      \
  HOCKET_EXPORT("libcudnn.so.9", symbol, type, parameters, true)
HOCKET_CUDA_DNN_FUNCTIONS(HOCKET_EXPORT_DNN)

#define HOCKET_EXPORT_NCCL(symbol, type, name, parameters)                     \
  HOCKET_EXPORT("libnccl.so.2", symbol, ResultOf<type>, parameters, true)
HOCKET_CUDA_NCCL_FUNCTIONS(HOCKET_EXPORT_NCCL)

} // namespace hocket::runtime::cuda

// What look-alikes of libraries ask of the driver's is not the program's doing.
#define HOCKET_EXPORT_LOOKALIKE(symbol, type, parameters)                      \
  HOCKET_EXPORT("libcuda.so.1", symbol, type, parameters, false)
HOCKET_EXPORT_LOOKALIKE(hocketLookalikeEnqueue, int,
                        (const char *function, CUstream_st *stream,
                         const HocketLookalikeOperation *operation))
HOCKET_EXPORT_LOOKALIKE(hocketLookalikeCall, int, (const char *function))
HOCKET_EXPORT_LOOKALIKE(hocketLookalikeFind, void, (const char *sentence))
HOCKET_EXPORT_LOOKALIKE(hocketLookalikeDevice, int, (void))
