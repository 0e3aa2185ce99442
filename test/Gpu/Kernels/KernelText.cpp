//===- KernelText.cpp - the PTX of one kernel of the runtime --------------===//

#include "test/Gpu/Kernels/KernelText.h"
#include "runtime/lib/Cuda/Kernels/Images.h"
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>

namespace hocket::test {

namespace {

/// Where the text of an entry begins and ends, and the line of its beginning.
struct Part {
  std::string name;
  size_t begin = 0, end = 0;
  int64_t line = 0; // from 0
};

/// A module, and what stands before its first entry.
struct Parts {
  std::string_view text;
  std::vector<Part> entries;
};

Parts partsOf(std::string_view text) {
  const std::string_view word = ".visible .entry ";
  Parts parts{text, {}};
  size_t counted = 0;
  int64_t line = 0;
  for (size_t at = text.find(word); at != text.npos;) {
    line += std::count(text.begin() + counted, text.begin() + at, '\n');
    counted = at;
    size_t name = at + word.size(), next = text.find(word, name);
    parts.entries.push_back(
        {std::string(text.substr(name, text.find('(', name) - name)), at,
         std::min(next, text.size()), line});
    at = next;
  }
  return parts;
}

const Parts &partsOfSource(const std::string &source) {
  static std::map<std::string, Parts> known;
  auto found = known.find(source);
  if (found != known.end())
    return found->second;
  for (const runtime::cuda::Image &image : runtime::cuda::images())
    if (image.chip == 0 && image.source == source)
      return known
          .emplace(source, partsOf({reinterpret_cast<const char *>(image.data),
                                    image.size}))
          .first->second;
  throw std::runtime_error("no PTX of " + source);
}

} // namespace

std::string textOfKernel(const std::string &source, const std::string &entry) {
  const Parts &parts = partsOfSource(source);
  for (const Part &part : parts.entries) {
    if (part.name != entry)
      continue;
    std::string before(parts.text.substr(0, parts.entries[0].begin));
    int64_t lines = part.line - parts.entries[0].line;
    return before + std::string(static_cast<size_t>(lines), '\n') +
           std::string(parts.text.substr(part.begin, part.end - part.begin));
  }
  throw std::runtime_error("no kernel " + entry + " in the PTX of " + source);
}

std::vector<std::string> kernelsOf(const std::string &source) {
  std::vector<std::string> names;
  for (const Part &part : partsOfSource(source).entries)
    names.push_back(part.name);
  return names;
}

} // namespace hocket::test
