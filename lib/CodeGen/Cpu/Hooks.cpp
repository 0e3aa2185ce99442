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

static bool compile(const std::string &file, const std::string &object,
                    StringRef folder, StringRef cpu, std::string &error) {
  bool isC = sys::path::extension(file) == ".c";
  std::string compiler = compilerFor(isC);
  if (compiler.empty()) {
    error = "no compiler for '" + file + "': set " + (isC ? "CC" : "CXX") +
            ", or give an object";
    return false;
  }
  std::string include = ("-I" + folder).str(), march = ("-march=" + cpu).str();
  SmallString<64> messages = folder;
  sys::path::append(messages, "messages");
  std::vector<StringRef> arguments = {compiler, isC ? "-std=c11" : "-std=c++17",
                                      "-O2",    "-fPIC",
                                      march,    include,
                                      "-c",     file,
                                      "-o",     object};
  std::optional<StringRef> streams[] = {std::nullopt, messages.str(),
                                        messages.str()};
  int status = sys::ExecuteAndWait(compiler, arguments, std::nullopt, streams);
  if (status == 0)
    return true;
  auto text = MemoryBuffer::getFile(messages);
  error = "'" + file + "' does not compile:\n" +
          (text ? (*text)->getBuffer().rtrim().str() : "no message");
  return false;
}

bool prepareHooks(ArrayRef<HookFile> hooks, StringRef folder, StringRef cpu,
                  std::vector<std::string> &files, std::string &error) {
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
    if (!isSource(hook.file)) {
      files.push_back(hook.file);
      continue;
    }
    SmallString<64> object = folder;
    sys::path::append(object, "hook" + std::to_string(done.size()) + ".o");
    if (!compile(hook.file, object.str().str(), folder, cpu, error))
      return false;
    files.push_back(object.str().str());
  }
  return true;
}

void addHookArguments(ArrayRef<HookFile> hooks,
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
    if (isShared(hook.file)) {
      SmallString<64> folder(hook.file);
      sys::fs::make_absolute(folder);
      sys::path::remove_filename(folder);
      arguments.insert(arguments.end(), {"-rpath", folder.str().str()});
    }
  }
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
