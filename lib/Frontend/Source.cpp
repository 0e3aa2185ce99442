//===- Source.cpp - source files, byte offsets and line:column ------------===//

#include "hocket/Frontend/Source.h"

#include <algorithm>

using namespace hocket::syntax;

SourceRange SourceRange::to(const SourceRange &last) const {
  if (!isValid())
    return last;
  if (!last.isValid() || last.file != file)
    return *this;
  return {file, std::min(begin, last.begin), std::max(end, last.end)};
}

FileId SourceManager::addFile(std::string name, std::string text) {
  auto file = std::make_unique<File>();
  file->name = std::move(name);
  file->text = std::move(text);
  file->lineStarts.push_back(0);
  for (size_t i = 0; i < file->text.size(); ++i)
    if (file->text[i] == '\n')
      file->lineStarts.push_back(static_cast<uint32_t>(i + 1));
  files.push_back(std::move(file));
  return static_cast<FileId>(files.size() - 1);
}

std::string_view SourceManager::getText(const SourceRange &range) const {
  if (!range.isValid())
    return {};
  return getText(range.file).substr(range.begin, range.size());
}

LineColumn SourceManager::getLineColumn(FileId file, uint32_t offset) const {
  const auto &starts = files[file]->lineStarts;
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  auto line = static_cast<unsigned>(next - starts.begin());
  return {line, offset - *(next - 1) + 1};
}

std::string_view SourceManager::getLine(FileId file, unsigned line) const {
  const File &source = *files[file];
  std::string_view text = source.text;
  text.remove_prefix(source.lineStarts[line - 1]);
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r')
    text.remove_suffix(1);
  return text;
}
