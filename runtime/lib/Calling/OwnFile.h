//===- OwnFile.h - the file that this code was loaded from -----*- C++ -*-===//

#ifndef HOCKET_LIB_CALLING_OWNFILE_H
#define HOCKET_LIB_CALLING_OWNFILE_H

#include <string>

namespace hocket::runtime {

/// The path of the library, also after the current folder has changed.
std::string fileOfLibrary();

} // namespace hocket::runtime

#endif // HOCKET_LIB_CALLING_OWNFILE_H
