//===- Hooks.cpp - a user's own functions, made ready to link -------------===//

#include "Hooks.h"
#include "hocket/Io/OutputFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hocket::codegen {

static bool isSource(StringRef file) {
  StringRef ending = sys::path::extension(file);
  return ending == ".c" || ending == ".cc" || ending == ".cpp" ||
         ending == ".cxx";
}

static bool isCuda(StringRef file) {
  return sys::path::extension(file) == ".cu";
}

static bool isShared(StringRef file) {
  return sys::path::extension(file) == ".so";
}

/// The compiler that CC or CXX names, or the system's.
static std::string compilerFor(bool isC) {
  const char *named = std::getenv(isC ? "CC" : "CXX");
  for (StringRef name :
       {StringRef(named ? named : ""), isC ? StringRef("cc") : StringRef("c++"),
        isC ? StringRef("clang") : StringRef("clang++")})
    if (!name.empty())
      if (auto path = sys::findProgramByName(name))
        return *path;
  return "";
}

static bool writeHeader(StringRef folder, std::string &error) {
  SmallString<64> path = folder;
  sys::path::append(path, "hocket");
  std::error_code failure = sys::fs::create_directories(path);
  sys::path::append(path, "Hook.h");
  if (!failure) {
    raw_fd_ostream stream(path, failure);
    if (!failure)
      stream << hookHeader;
  }
  if (failure)
    error = "cannot write " + path.str().str() + ": " + failure.message();
  return !failure;
}

/// Runs a compiler of `file`, which writes what it says to a file in `folder`.
static bool run(ArrayRef<std::string> arguments, StringRef file,
                StringRef folder, std::string &error) {
  SmallString<64> messages = folder;
  sys::path::append(messages, "messages");
  SmallVector<StringRef> words(arguments.begin(), arguments.end());
  std::optional<StringRef> streams[] = {std::nullopt, messages.str(),
                                        messages.str()};
  if (sys::ExecuteAndWait(words[0], words, std::nullopt, streams) == 0)
    return true;
  auto text = MemoryBuffer::getFile(messages);
  error = ("'" + file + "' does not compile:\n").str() +
          (text ? (*text)->getBuffer().rtrim().str() : "no message");
  return false;
}

static bool compile(const std::string &file, const std::string &object,
                    StringRef folder, const HookTools &tools,
                    std::string &error) {
  bool isC = sys::path::extension(file) == ".c";
  std::string compiler = compilerFor(isC);
  if (compiler.empty()) {
    error = "no compiler for '" + file + "': set " + (isC ? "CC" : "CXX") +
            ", or give an object";
    return false;
  }
  std::vector<std::string> arguments = {compiler,
                                        isC ? "-std=c11" : "-std=c++17",
                                        "-O2",
                                        "-fPIC",
                                        ("-march=" + tools.cpu).str(),
                                        ("-I" + folder).str(),
                                        "-c",
                                        file,
                                        "-o",
                                        object};
  if (tools.toolkit && !tools.toolkit->headers.empty())
    arguments.push_back("-I" + tools.toolkit->headers);
  return run(arguments, file, folder, error);
}

/// CUDA C++: host code, PTX for the oldest chip, and code of some chips.
static bool compileCuda(const std::string &file, const std::string &object,
                        StringRef folder, const HookTools &tools,
                        std::string &error) {
  if (!tools.toolkit) {
    error = "'" + file + "' is CUDA C++, which a program for a CPU cannot call";
    return false;
  }
  const Toolkit &toolkit = *tools.toolkit;
  if (toolkit.nvcc.empty() || toolkit.runtimeLibrary.empty()) {
    error = "no compiler for '" + file +
            "': " + (toolkit.nvcc.empty() ? "nvcc" : "libcudart.so") +
            " of the CUDA toolkit is not found in CUDA_HOME, PATH, where "
            "tools/dev/setup --cuda installs it, or /usr/local/cuda";
    return false;
  }
  std::vector<std::string> arguments = {
      toolkit.nvcc, "-std=c++17", "-O2", "-Xcompiler=-fPIC",
      "-gencode=arch=compute_80,code=compute_80"};
  for (int chip : tools.chips) {
    std::string name = std::to_string(chip);
    arguments.push_back("-gencode=arch=compute_" + name + ",code=sm_" + name);
  }
  // PTX stays text, as that of generated kernels.
  for (const std::string &argument :
       {std::string("--no-compress"), ("-I" + folder).str(), std::string("-c"),
        file, std::string("-o"), object})
    arguments.push_back(argument);
  return run(arguments, file, folder, error);
}

bool prepareHooks(ArrayRef<HookFile> hooks, StringRef folder,
                  const HookTools &tools, std::vector<std::string> &files,
                  std::string &error) {
  if (!hooks.empty() && !writeHeader(folder, error))
    return false;
  StringSet<> done;
  for (const HookFile &hook : hooks) {
    if (!done.insert(hook.file).second)
      continue;
    runtime::noteRead("hook '" + hook.file + "'", hook.file);
    if (isShared(hook.file)) {
      // No kernel calls it, and so it would not be needed.
      for (StringRef file : {StringRef("--no-as-needed"), StringRef(hook.file),
                             StringRef("--as-needed")})
        files.push_back(file.str());
      continue;
    }
    if (!isSource(hook.file) && !isCuda(hook.file)) {
      files.push_back(hook.file);
      continue;
    }
    SmallString<64> object = folder;
    sys::path::append(object, "hook" + std::to_string(done.size()) + ".o");
    auto *compiles = isCuda(hook.file) ? compileCuda : compile;
    if (!compiles(hook.file, object.str().str(), folder, tools, error))
      return false;
    files.push_back(object.str().str());
  }
  return true;
}

/// Where a shared library is found when the program runs, if LD_LIBRARY_PATH
/// does not show it.
static void addFolderOf(StringRef library,
                        std::vector<std::string> &arguments) {
  SmallString<64> folder(library);
  sys::fs::make_absolute(folder);
  sys::path::remove_filename(folder);
  arguments.insert(arguments.end(), {"-rpath", folder.str().str()});
}

void addHookArguments(ArrayRef<HookFile> hooks, const HookTools &tools,
                      std::vector<std::string> &arguments) {
  if (hooks.empty())
    return;
  // C++ expects what a compiler's start files define; what it registers there
  // to run at the end must still be there then.
  arguments.insert(arguments.end(),
                   {"--defsym=__dso_handle=__ehdr_start", "-z", "nodelete"});
  for (const HookFile &hook : hooks) {
    // A member of an archive is taken only if something asks for it.
    for (const char *suffix : {"", "_hocket_abi"})
      arguments.insert(arguments.end(), {"-u", hook.name + suffix});
    if (isShared(hook.file))
      addFolderOf(hook.file, arguments);
  }
  if (tools.toolkit && !tools.toolkit->runtimeLibrary.empty())
    addFolderOf(tools.toolkit->runtimeLibrary, arguments);
}

/// The symbols that a shared object defines for others.
static void addSymbols(StringRef path, StringSet<> &symbols) {
  auto file = object::ObjectFile::createObjectFile(path);
  if (!file) {
    consumeError(file.takeError());
    return;
  }
  auto *elf = dyn_cast<object::ELFObjectFileBase>(file->getBinary());
  if (!elf)
    return;
  for (object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && !(*flags & object::SymbolRef::SF_Undefined))
      symbols.insert(*name);
    if (!flags)
      consumeError(flags.takeError());
    if (!name)
      consumeError(name.takeError());
  }
}

bool checkHooks(ArrayRef<HookFile> hooks, StringRef library,
                std::string &error) {
  StringSet<> symbols;
  addSymbols(library, symbols);
  for (const HookFile &hook : hooks)
    if (isShared(hook.file))
      addSymbols(hook.file, symbols);
  for (const HookFile &hook : hooks) {
    if (!symbols.contains(hook.name)) {
      error = "'" + hook.file + "' defines no '" + hook.name +
              "': write HOCKET_HOOK(" + hook.name + ") { ... } there";
      return false;
    }
    if (!symbols.contains(hook.name + "_hocket_abi")) {
      error = "'" + hook.name + "' in '" + hook.file +
              "' is not defined as a hook: begin it with HOCKET_HOOK(" +
              hook.name + "), of hocket/Hook.h";
      return false;
    }
  }
  return true;
}

} // namespace hocket::codegen
