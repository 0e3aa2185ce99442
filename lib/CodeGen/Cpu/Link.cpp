//===- Link.cpp - object files to one shared object -----------------------===//

#include "Link.h"
#include "TemporaryFolder.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace hocket::codegen {

/// The file of a library as the dynamic loader finds it, by a symbol of it: the
/// link needs the file itself, since no compiler need be installed.
static std::string fileOf(const char *library, const char *symbol) {
  void *handle = dlopen(library, RTLD_LAZY);
  void *address = handle ? dlsym(handle, symbol) : nullptr;
  Dl_info info;
  std::string file;
  if (address && dladdr(address, &info) && info.dli_fname)
    file = info.dli_fname;
  if (handle)
    dlclose(handle);
  return file;
}

static bool writeFile(StringRef path, StringRef bytes) {
  std::error_code failure;
  raw_fd_ostream stream(path, failure);
  stream << bytes;
  stream.close();
  return !failure && !stream.has_error();
}

static bool runLinker(const std::vector<std::string> &files,
                      ArrayRef<HookFile> hooks, const HookTools &tools,
                      StringRef output, std::string &error) {
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "-z",
                                         "defs",
                                         "-z",
                                         "noexecstack",
                                         "-O1",
                                         "--gc-sections",
                                         "-s",
                                         "--as-needed",
                                         "--hash-style=gnu",
                                         "--build-id=none",
                                         "-o",
                                         output.data()};
  std::vector<std::string> further;
  addHookArguments(hooks, tools, further);
  further.insert(further.end(), files.begin(), files.end());
  if (tools.toolkit)
    further.push_back(tools.toolkit->runtimeLibrary);
  if (!hooks.empty()) {
    further.push_back(fileOf("libstdc++.so.6", "__cxa_guard_acquire"));
    further.push_back(fileOf("libgcc_s.so.1", "_Unwind_Resume"));
  }
  further.push_back(fileOf("libm.so.6", "erfcf"));
  further.push_back(fileOf("libc.so.6", "memcpy"));
  for (const std::string &argument : further)
    if (!argument.empty())
      arguments.push_back(argument.c_str());
  // lld keeps global state: one link at a time.
  static std::mutex mutex;
  std::lock_guard<std::mutex> guard(mutex);
  std::string text;
  raw_string_ostream stream(text);
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return true;
  error = "linking the kernels failed: " + text;
  return false;
}

std::optional<std::vector<uint8_t>>
linkSharedObject(ArrayRef<std::string> objects, ArrayRef<HookFile> hooks,
                 const HookTools &tools, std::string &error) {
  TemporaryFolder folder("hocket-link");
  if (!folder.isMade()) {
    error = "cannot make a temporary folder for linking; is TMPDIR writable?";
    return std::nullopt;
  }
  std::vector<std::string> files;
  for (const std::string &object : objects) {
    SmallString<64> path = folder.path();
    sys::path::append(path, std::to_string(files.size()) + ".o");
    if (!writeFile(path, object)) {
      error = "cannot write " + path.str().str();
      return std::nullopt;
    }
    files.push_back(path.str().str());
  }
  if (!prepareHooks(hooks, folder.path(), tools, files, error))
    return std::nullopt;
  SmallString<64> output = folder.path();
  sys::path::append(output, "kernels.so");
  if (!runLinker(files, hooks, tools, output.c_str(), error) ||
      !checkHooks(hooks, output, error))
    return std::nullopt;
  auto buffer = MemoryBuffer::getFile(output, false, false);
  if (!buffer) {
    error = "cannot read " + output.str().str();
    return std::nullopt;
  }
  StringRef bytes = (*buffer)->getBuffer();
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

} // namespace hocket::codegen
