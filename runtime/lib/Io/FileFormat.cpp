//===- FileFormat.cpp - what a file is that is not read -------------------===//

#include "hocket/Io/FileFormat.h"
#include <algorithm>
#include <string_view>

namespace hocket::runtime {

namespace {

using Text = std::string_view;

Text beginning(const MappedFile &file) {
  constexpr size_t most = 4096;
  return {reinterpret_cast<const char *>(file.data()),
          std::min(file.size(), most)};
}

bool begins(Text text, Text front) {
  return text.substr(0, front.size()) == front;
}

bool ends(Text text, Text end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

/// For a shell.
std::string quoted(const std::string &word) {
  const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                      "0123456789/._-+=,@%:";
  if (!word.empty() && word[0] != '-' &&
      word.find_first_not_of(plain) == std::string::npos)
    return word;
  std::string out = word[0] == '-' ? "./'" : "'";
  for (char c : word)
    out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string besideAs(const std::string &path, const char *extension) {
  size_t slash = path.rfind('/'), dot = path.rfind('.');
  bool hasDot = dot != std::string::npos && dot > 0 &&
                (slash == std::string::npos || dot > slash + 1);
  return (hasDot ? path.substr(0, dot) : path) + extension;
}

/// A line of Python that writes a safetensors file beside `path`.
std::string python(const char *code, const std::string &path) {
  return std::string("to convert it: python3 -c '") + code + "' " +
         quoted(path) + " " + quoted(besideAs(path, ".safetensors"));
}

std::string convertTorch(const std::string &path) {
  return python("import sys, torch; from safetensors.torch import save_file; "
                "save_file({k: v.clone().contiguous() for k, v in "
                "torch.load(sys.argv[1], \"cpu\", weights_only=True).items()}, "
                "sys.argv[2])",
                path);
}

/// By the name of the first file of the archive.
FileFormat zipFormat(Text text, const std::string &path) {
  constexpr size_t lengthAt = 26, nameAt = 30;
  Text name;
  if (text.size() > nameAt) {
    size_t length = static_cast<uint8_t>(text[lengthAt]) |
                    static_cast<uint8_t>(text[lengthAt + 1]) << 8;
    name = text.substr(nameAt, length);
  }
  if (ends(name, ".npy"))
    return {"NumPy's .npz",
            python("import sys, numpy; from safetensors.numpy import "
                   "save_file; save_file({k: numpy.ascontiguousarray(v) for "
                   "k, v in numpy.load(sys.argv[1]).items()}, sys.argv[2])",
                   path)};
  if (ends(name, "/data.pkl") || ends(name, "/byteorder") ||
      ends(name, "/.format_version"))
    return {"a PyTorch file (torch.save)", convertTorch(path)};
  return {"a zip archive", "unpack it first"};
}

/// Pickles begin with their protocol; torch.save's older format with a number
/// of its own.
FileFormat pickleFormat(Text text, const std::string &path) {
  if (begins(text.substr(2), "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50"))
    return {"a PyTorch file (torch.save)", convertTorch(path)};
  return {"a pickle of Python",
          "save its tensors with safetensors.numpy.save_file"};
}

bool isText(Text text) {
  constexpr Text blanks = "\t\n\v\f\r";
  return !text.empty() && std::none_of(text.begin(), text.end(), [&](char c) {
    bool isControl = static_cast<uint8_t>(c) < 0x20 || c == 0x7f;
    return isControl && blanks.find(c) == Text::npos;
  });
}

FileFormat textFormat(Text text) {
  if (begins(text, "version https://git-lfs.github.com/spec/"))
    return {"a pointer of Git LFS, which stands for a file that was not "
            "fetched",
            "to fetch it: git lfs pull", true};
  if (begins(text, "<!DOCTYPE") || begins(text, "<!doctype") ||
      begins(text, "<html"))
    return {"a page of HTML, as a download that failed leaves",
            "download it again", true};
  if (begins(text, "{"))
    return {"JSON", "an index of shards is called NAME.safetensors.index.json",
            true};
  return {"text", "", true};
}

struct Magic {
  Text front;
  const char *looksLike;
  const char *wayOut;
};

const Magic magics[] = {
    {Text("\x1f\x8b", 2), "a file compressed by gzip", "gunzip it first"},
    {"\x28\xb5\x2f\xfd", "a file compressed by zstd", "unzstd it first"},
    {Text("\xfd"
          "7zXZ\0",
          6),
     "a file compressed by xz", "unxz it first"},
    {"BZh", "a file compressed by bzip2", "bunzip2 it first"},
    {"GGUF", "a GGUF file (llama.cpp)",
     "take the model's files in safetensors"},
    {"PAR1", "a Parquet file", ""},
    {"ARROW1", "an Arrow file", ""},
    {"\x7f"
     "ELF",
     "a program", ""},
};

} // namespace

std::optional<FileFormat> formatOf(const MappedFile &file,
                                   const std::string &path) {
  Text text = beginning(file);
  if (begins(text, "PK\x03\x04"))
    return zipFormat(text, path);
  if (text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5)
    return pickleFormat(text, path);
  if (begins(text, "\x89HDF\r\n\x1a\n"))
    return FileFormat{
        "an HDF5 file",
        python("import sys, h5py; from safetensors.numpy import save_file; t "
               "= {}; h5py.File(sys.argv[1]).visititems(lambda k, v: "
               "t.update({k.replace(\"/\", \".\"): v[()]}) if isinstance(v, "
               "h5py.Dataset) else None); save_file(t, sys.argv[2])",
               path)};
  if (begins(text, "\x93NUMPY") && !ends(path, ".npy"))
    return FileFormat{"an .npy file", "its name must end in .npy"};
  for (const Magic &magic : magics)
    if (begins(text, magic.front))
      return FileFormat{magic.looksLike, magic.wayOut};
  if (isText(text))
    return textFormat(text);
  return std::nullopt;
}

Status unread(const MappedFile &file, const std::string &role,
              const std::string &path, const std::string &error,
              bool takesTokens) {
  std::string title = role + " '" + path + "': ";
  const char *tokens = "; raw tokens take --token-type u16, u8 or i32";
  std::optional<FileFormat> format = formatOf(file, path);
  if (!format)
    return Status::userError(title + error + (takesTokens ? tokens : ""));
  std::string text = title + "looks like " + format->looksLike;
  if (takesTokens && format->isText && format->wayOut.empty())
    return Status::userError(text + "; to train on its bytes: --token-type u8");
  text += "; read are safetensors and .npy";
  if (!format->wayOut.empty())
    text += "; " + format->wayOut;
  return Status::userError(text);
}

} // namespace hocket::runtime
