//===- LineList.cpp - numbers of lines, as text ---------------------------===//

#include "test/Gpu/Ptx/LineList.h"
#include <cstdlib>
#include <sstream>

std::string hocket::ptx::toText(const std::set<unsigned> &lines) {
  std::string text;
  unsigned first = 0, last = 0;
  auto close = [&] {
    if (last)
      text += (text.empty() ? "" : ",") + std::to_string(first) +
              (last > first ? "-" + std::to_string(last) : "");
  };
  for (unsigned line : lines) {
    if (!last || line != last + 1) {
      close();
      first = line;
    }
    last = line;
  }
  close();
  return text.empty() ? "-" : text;
}

std::set<unsigned> hocket::ptx::readLines(const std::string &text) {
  std::set<unsigned> lines;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    size_t dash = item.find('-');
    unsigned first = std::atoi(item.c_str());
    unsigned last =
        dash == item.npos ? first : std::atoi(item.c_str() + dash + 1);
    for (unsigned line = first; first && line <= last; ++line)
      lines.insert(line);
  }
  return lines;
}
