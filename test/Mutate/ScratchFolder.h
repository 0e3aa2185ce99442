//===- ScratchFolder.h - a folder that vanishes with the program *- C++ -*-===//

#ifndef HOCKET_TEST_MUTATE_SCRATCHFOLDER_H
#define HOCKET_TEST_MUTATE_SCRATCHFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace hocket::mutate {

class ScratchFolder {
public:
  ScratchFolder() {
    std::string name =
        std::filesystem::temp_directory_path() / "hocket-mutate.XXXXXX";
    if (mkdtemp(name.data()))
      path = name;
  }
  ~ScratchFolder() {
    std::error_code none;
    std::filesystem::remove_all(path, none);
  }
  std::string path;
};

} // namespace hocket::mutate

#endif // HOCKET_TEST_MUTATE_SCRATCHFOLDER_H
