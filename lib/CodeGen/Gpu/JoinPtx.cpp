//===- JoinPtx.cpp - several PTX texts as one module ----------------------===//

#include "JoinPtx.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <tuple>

using namespace llvm;

namespace hocket::codegen {

bool isPtxIdentifier(StringRef name) {
  bool isMarked = !name.empty() && StringRef("_$").contains(name.front());
  if (name.size() < 1 + isMarked || !(isMarked || isAlpha(name.front())))
    return false;
  return all_of(name.drop_front(),
                [](char c) { return isAlnum(c) || c == '_' || c == '$'; });
}

namespace {
/// What the directives at the beginning of a module say, and what follows them.
struct Parts {
  StringRef version, target, body;
};
} // namespace

/// The word behind the directive, which stands at the beginning of `text` or
/// behind comments; empty: it does not. `text` becomes the rest.
static StringRef takeDirective(StringRef &text, StringRef name) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      break;
    text = text.split('\n').second;
  }
  StringRef rest = text;
  if (!rest.consume_front(name))
    return "";
  StringRef line;
  std::tie(line, text) = rest.split('\n');
  return line.split("//").first.trim();
}

/// False, with the reason in `error`: it has no such beginning.
static bool split(StringRef text, Parts &parts, std::string &error) {
  parts.version = takeDirective(text, ".version");
  parts.target = takeDirective(text, ".target");
  StringRef bits = takeDirective(text, ".address_size");
  parts.body = text;
  if (parts.version.empty() || parts.target.empty() || bits != "64") {
    error = "a text to be joined does not begin with .version, .target and "
            ".address_size 64";
    return false;
  }
  if (parts.target.contains(',')) {
    error = "a module with .target " + parts.target.str() +
            " cannot be joined with others";
    return false;
  }
  return true;
}

/// "8.10" is above "8.9".
static std::pair<unsigned, unsigned> numberOf(StringRef version) {
  auto [major, minor] = version.split('.');
  std::pair<unsigned, unsigned> number;
  major.getAsInteger(10, number.first);
  minor.getAsInteger(10, number.second);
  return number;
}

/// The number of a chip, and "a" or "f" where the text is for it alone or for
/// its family: newer chips do not run it.
static std::pair<unsigned, StringRef> chipOf(StringRef target) {
  std::pair<unsigned, StringRef> chip;
  target.consume_front("sm_");
  target.consumeInteger(10, chip.first);
  chip.second = target;
  return chip;
}

/// The name of an entry that `body` has and `known` has, too; empty: there is
/// none. Adds those of `body`.
static StringRef addEntries(StringRef body, StringSet<> &known) {
  while (true) {
    body = body.split(".entry").second;
    if (body.empty())
      return "";
    StringRef name = body.ltrim().take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '$'; });
    if (!known.insert(name).second)
      return name;
  }
}

/// False, with the reason in `error`: no target has what both need. The newer
/// one becomes `joined`.
static bool joinTargets(StringRef &joined, StringRef target,
                        std::string &error) {
  auto [old, young] = std::pair(joined, target);
  if (chipOf(old) > chipOf(young))
    std::swap(old, young);
  if (old != young && !chipOf(old).second.empty()) {
    error = "modules for " + old.str() + " and " + young.str() +
            " cannot be joined";
    return false;
  }
  joined = young;
  return true;
}

std::string joinPtx(ArrayRef<std::string> texts, std::string &error) {
  if (texts.empty()) {
    error = "there is no PTX to be joined";
    return {};
  }
  Parts joined;
  StringSet<> entries;
  std::string bodies;
  for (const std::string &text : texts) {
    Parts parts;
    if (!split(text, parts, error))
      return {};
    if (numberOf(parts.version) > numberOf(joined.version))
      joined.version = parts.version;
    if (!joinTargets(joined.target, parts.target, error))
      return {};
    StringRef twice = addEntries(parts.body, entries);
    if (!twice.empty()) {
      error = "two kernels have an entry " + twice.str();
      return {};
    }
    bodies += parts.body;
    if (!parts.body.ends_with("\n"))
      bodies += '\n';
  }
  return (".version " + joined.version + "\n.target " + joined.target +
          "\n.address_size 64\n" + bodies)
      .str();
}

} // namespace hocket::codegen
