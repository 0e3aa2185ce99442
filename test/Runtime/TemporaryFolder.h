//===- TemporaryFolder.h - a folder of one test ----------------*- C++ -*-===//

#ifndef HOCKET_TEST_RUNTIME_TEMPORARYFOLDER_H
#define HOCKET_TEST_RUNTIME_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/// Made empty, removed with all it holds.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = testing::TempDir() + "hocket.XXXXXX";
    root = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  std::string path(const std::string &name) const { return root + "/" + name; }

  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string read(const std::string &name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(root))
      names.push_back(entry.path().filename());
    return names;
  }

private:
  std::string root;
};

/// A safetensors file of a header as text and data.
inline std::string safetensorsBytes(const std::string &header,
                                    const std::string &data) {
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i)
    length[i] = char(uint64_t(header.size()) >> (8 * i) & 0xff);
  return length + header + data;
}

/// An npy file of a header as text and data.
inline std::string npyBytes(const std::string &header, const std::string &data,
                            char version = 1) {
  std::string out("\x93NUMPY", 6);
  out += version;
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    out += char(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}

#endif // HOCKET_TEST_RUNTIME_TEMPORARYFOLDER_H
