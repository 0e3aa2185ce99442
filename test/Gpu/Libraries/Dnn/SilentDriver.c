//===- SilentDriver.c - a libcuda.so.1 that does nothing ------------------===//
//
// NVIDIA's cuDNN makes plans of attention for a device that it is told of, once
// a driver says that it has loaded the code. This one says so of everything.
//
//===----------------------------------------------------------------------===//

#define SUCCEEDS(name)                                                         \
  int name(void) { return 0; }

SUCCEEDS(cuCtxGetCurrent)
SUCCEEDS(cuCtxGetLimit)
SUCCEEDS(cuCtxPopCurrent)
SUCCEEDS(cuCtxPushCurrent)
SUCCEEDS(cuDeviceGet)
SUCCEEDS(cuKernelGetAttribute)
SUCCEEDS(cuKernelSetAttribute)
SUCCEEDS(cuLaunchCooperativeKernel)
SUCCEEDS(cuLaunchKernel)
SUCCEEDS(cuLaunchKernelEx)
SUCCEEDS(cuLibraryLoadFromFile)
SUCCEEDS(cuLibraryUnload)
SUCCEEDS(cuLinkAddData)
SUCCEEDS(cuLinkComplete)
SUCCEEDS(cuLinkCreate)
SUCCEEDS(cuLinkDestroy)
SUCCEEDS(cuOccupancyMaxPotentialClusterSize)
SUCCEEDS(cuStreamGetCtx)

static int number(int *out, int value) {
  *out = value;
  return 0;
}
static int something(void **out) {
  static char thing;
  *out = &thing;
  return 0;
}
static int text(const char **out) {
  *out = "no error";
  return 0;
}

int cuDriverGetVersion(int *version) { return number(version, 13000); }
int cuDeviceGetCount(int *count) { return number(count, 0); }
int cuLibraryLoadData(void **library) { return something(library); }
int cuLibraryGetKernel(void **kernel) { return something(kernel); }
int cuGetErrorName(int error, const char **name) {
  (void)error;
  return text(name);
}
int cuGetErrorString(int error, const char **string) {
  (void)error;
  return text(string);
}
