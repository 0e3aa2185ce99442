//===- Toolkit.cpp - the CUDA toolkit of this machine ---------------------===//

#include "Toolkit.h"
#include "lib/CodeGen/Cpu/TemporaryFolder.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;

namespace hocket::codegen {

/// What is on PATH may be a link into the toolkit.
static std::string realPath(StringRef path) {
  SmallString<64> real;
  return sys::fs::real_path(path, real) ? path.str() : real.str().str();
}

/// Where tools/dev/setup --cuda puts a toolkit; empty without a home.
static std::string installedFolder() {
  SmallString<64> folder;
  if (const char *data = std::getenv("XDG_DATA_HOME"); data && *data)
    folder = data;
  else if (sys::path::home_directory(folder))
    sys::path::append(folder, ".local", "share");
  else
    return {};
  sys::path::append(folder, "hocket", "cuda");
  return folder.str().str();
}

static SmallVector<std::string> possibleFolders() {
  SmallVector<std::string> folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(name))
      folders.push_back(folder);
  if (auto ptxas = sys::findProgramByName("ptxas"))
    folders.push_back(
        sys::path::parent_path(sys::path::parent_path(realPath(*ptxas))).str());
  if (std::string installed = installedFolder(); !installed.empty())
    folders.push_back(installed);
  folders.push_back("/usr/local/cuda");
  return folders;
}

static std::string fileIn(StringRef folder, StringRef name) {
  SmallString<64> path = folder;
  sys::path::append(path, name);
  return sys::fs::exists(path) ? path.str().str() : std::string();
}

/// NVIDIA's Python packages have no name without a version.
static std::string runtimeLibraryIn(StringRef folder) {
  for (StringRef name : {"lib64/libcudart.so", "lib/libcudart.so",
                         "lib/libcudart.so.13", "lib/libcudart.so.12"})
    if (std::string path = fileIn(folder, name); !path.empty())
      return path;
  return {};
}

Toolkit findToolkit() {
  Toolkit toolkit;
  for (const std::string &folder : possibleFolders()) {
    if (toolkit.deviceLibrary.empty())
      toolkit.deviceLibrary = fileIn(folder, "nvvm/libdevice/libdevice.10.bc");
    if (toolkit.ptxas.empty())
      toolkit.ptxas = fileIn(folder, "bin/ptxas");
    if (!toolkit.nvcc.empty())
      continue;
    // These three are of one version.
    toolkit.nvcc = fileIn(folder, "bin/nvcc");
    toolkit.runtimeLibrary = runtimeLibraryIn(folder);
    toolkit.headers = fileIn(folder, "include");
  }
  if (toolkit.deviceLibrary.empty())
    toolkit.deviceLibrary = fileIn("/usr/lib/clc", "nvptx64--.bc");
  return toolkit;
}

static std::string contentOf(StringRef path) {
  auto content = MemoryBuffer::getFile(path);
  return content ? (*content)->getBuffer().str() : std::string();
}

std::string assemble(const Toolkit &toolkit, const std::string &ptx, int chip,
                     std::string &error) {
  std::string name = "sm_" + std::to_string(chip);
  if (toolkit.ptxas.empty()) {
    error = "ptxas of the CUDA toolkit, which assembles for " + name +
            ", is not found in CUDA_HOME, PATH, where tools/dev/setup "
            "--cuda installs it, or /usr/local/cuda; without --arch the driver "
            "assembles the kernels when the program starts";
    return {};
  }
  TemporaryFolder folder("hocket-ptxas");
  auto in = [&](StringRef file) {
    SmallString<64> path = folder.path();
    sys::path::append(path, file);
    return path.str().str();
  };
  std::string source = in("kernels.ptx"), output = in("kernels.cubin"),
              messages = in("messages"), arch = "-arch=" + name;
  std::error_code failure;
  {
    raw_fd_ostream stream(source, failure);
    stream << ptx;
    stream.close();
    if (stream.has_error())
      failure = stream.error();
    stream.clear_error();
  }
  StringRef arguments[] = {toolkit.ptxas, arch, source, "-o", output};
  std::optional<StringRef> streams[] = {std::nullopt, StringRef(messages),
                                        StringRef(messages)};
  if (!failure &&
      sys::ExecuteAndWait(toolkit.ptxas, arguments, std::nullopt, streams) == 0)
    if (std::string cubin = contentOf(output); !cubin.empty())
      return cubin;
  std::string said = StringRef(contentOf(messages)).rtrim().str();
  error = "ptxas cannot assemble for " + name + ": " +
          (failure        ? failure.message()
           : said.empty() ? "it ended early"
                          : said);
  return {};
}

} // namespace hocket::codegen
