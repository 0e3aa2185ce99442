//===- LineList.h - numbers of lines, as text ------------------*- C++ -*-===//

#ifndef HOCKET_TEST_GPU_PTX_LINELIST_H
#define HOCKET_TEST_GPU_PTX_LINELIST_H

#include <set>
#include <string>

namespace hocket::ptx {

/// "3-17,20"; "-" if there are none.
std::string toText(const std::set<unsigned> &lines);
/// Of such a text; nothing of what is none.
std::set<unsigned> readLines(const std::string &text);

} // namespace hocket::ptx

#endif // HOCKET_TEST_GPU_PTX_LINELIST_H
