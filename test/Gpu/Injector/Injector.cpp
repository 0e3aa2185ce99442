//===- Injector.cpp - which calls go wrong, and what is logged ------------===//

#include "test/Gpu/Injector/Injector.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/syscall.h>
#include <unistd.h>

namespace hocket::inject {

static std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Injector::Injector()
    : log(variable("HOCKET_INJECT_LOG")),
      codes(variable("HOCKET_INJECT_CODE")) {
  std::string error;
  faults = readFaults(variable("HOCKET_INJECT"), error);
  if (!error.empty())
    refuse(error);
}

Injector &Injector::get() {
  static Injector *injector = new Injector; // threads may call to the end
  return *injector;
}

void Injector::refuse(const std::string &why) {
  std::fprintf(stderr, "error: %s\n", why.c_str());
  std::_Exit(2);
}

/// One write a line, so that what a killed process has done is there.
void Injector::write(const std::string &line) {
  if (log.empty())
    return;
  int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  std::string whole = line + "\n";
  if (file < 0 || ::write(file, whole.data(), whole.size()) < 0)
    refuse("HOCKET_INJECT_LOG '" + log + "' cannot be written");
  close(file);
}

std::vector<const Fault *> Injector::faultsOf(const Record &record) {
  std::lock_guard<std::mutex> held(mutex);
  int rank = rankOfThread();
  uint64_t all = ++calls[record.function];
  uint64_t own = ++ofRank[{rank, record.function}];
  write("call " + std::to_string(rank) + " " + record.function + " " +
        std::to_string(own) + record.arguments);
  std::vector<const Fault *> meant;
  for (const Fault &fault : faults)
    if (fault.function == record.function &&
        (fault.rank == Fault::ofProcess
             ? fault.call == all
             : fault.rank == rank && fault.call == own))
      meant.push_back(&fault);
  return meant;
}

void Injector::done(const Fault &fault) {
  std::lock_guard<std::mutex> held(mutex);
  write("done " + fault.text);
}

/// The look-alikes lie beside the folder of this library.
static void *openBeside(const std::string &library) {
  Dl_info self;
  if (!dladdr(reinterpret_cast<void *>(&openBeside), &self))
    Injector::refuse("the injector does not find itself");
  std::string path = self.dli_fname;
  path = path.substr(0, path.rfind('/')) + "/../lookalike/" + library;
  void *opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened)
    Injector::refuse(dlerror());
  return opened;
}

void *Injector::find(const char *library, const char *function) {
  static std::mutex mutex;
  static std::map<std::string, void *> opened;
  std::lock_guard<std::mutex> held(mutex);
  void *&handle = opened[library];
  if (!handle)
    handle = openBeside(library);
  void *found = dlsym(handle, function);
  if (!found)
    refuse(std::string(library) + " has no " + function);
  return found;
}

void Injector::keepCode(const char *code) {
  std::lock_guard<std::mutex> held(mutex);
  ++loads;
  if (!codes.empty())
    std::ofstream(codes + "/" + std::to_string(loads) + ".ptx") << code;
}

/// Threads of the process that are older; numbers grow.
static int countOlder() {
  pid_t self = static_cast<pid_t>(syscall(SYS_gettid));
  if (self == getpid())
    return -1;
  int older = 0;
  DIR *folder = opendir("/proc/self/task");
  while (const dirent *entry = folder ? readdir(folder) : nullptr) {
    pid_t thread = std::atoi(entry->d_name);
    older += thread > 0 && thread != getpid() && thread < self;
  }
  if (folder)
    closedir(folder);
  return older;
}

/// The rank of which a program has started this process, which has forgotten
/// the variable since; -1 if it was started otherwise.
static int findProcess() {
  std::ifstream file("/proc/self/environ", std::ios::binary);
  const std::string name = "HOCKET_PROCESS=";
  for (std::string one; std::getline(file, one, '\0');)
    if (one.rfind(name, 0) == 0)
      return std::atoi(one.c_str() + name.size());
  return -1;
}

int rankOfThread() {
  static const int process = findProcess();
  static thread_local const int rank = process < 0 ? countOlder() : process;
  return rank;
}

bool &isInLibrary() {
  static thread_local bool is = false;
  return is;
}

std::function<void()> &postponed() {
  static thread_local std::function<void()> postponed;
  return postponed;
}

std::vector<uint64_t> &allocations() {
  static thread_local std::vector<uint64_t> allocations;
  return allocations;
}

const void *copyOf(const void *bytes, size_t size) {
  return std::memcpy(std::malloc(size), bytes, size);
}

void spoil(const void *copy, size_t size) {
  std::memset(const_cast<void *>(copy), 0x5a, size);
}

const char *textOf(const std::string &file) {
  static std::mutex mutex;
  static std::map<std::string, std::string> texts;
  std::lock_guard<std::mutex> held(mutex);
  auto [at, isNew] = texts.emplace(file, "");
  std::ifstream stream(file);
  std::ostringstream text;
  if (isNew && !(text << stream.rdbuf()))
    Injector::refuse("the code '" + file + "' cannot be read");
  if (isNew)
    at->second = text.str();
  return at->second.c_str();
}

} // namespace hocket::inject
