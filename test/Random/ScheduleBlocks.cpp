//===- ScheduleBlocks.cpp - `at`, `def` and `use` around lines ------------===//

#include "ScheduleBlocks.h"
#include <algorithm>
#include <cctype>

using namespace hocket::random;

namespace {
/// `VERB HEAD.REST ARGUMENTS over AXES CUT`
struct Line {
  std::string verb, head, rest, arguments, axes, cut;
};
} // namespace

/// False where the line has another form or selects more than one path.
static bool parse(const std::string &text, Line &line) {
  size_t verb = text.find(' ');
  size_t path = text.find(' ', verb + 1);
  size_t over = text.rfind(" over ");
  if (path == std::string::npos || over == std::string::npos || over < path ||
      text.find_first_of("*{[#") != std::string::npos)
    return false;
  line.verb = text.substr(0, verb);
  std::string whole = text.substr(verb + 1, path - verb - 1);
  line.arguments = text.substr(path, over - path);
  size_t begin = over + 6;
  size_t end = text[begin] == '('
                   ? text.find(')', begin) + 1
                   : std::min(text.find(' ', begin), text.size());
  line.axes = text.substr(begin, end - begin);
  line.cut = text.substr(end);
  if (line.verb == "defer")
    return false;
  size_t dot = whole.find('.');
  if (dot != std::string::npos && std::isdigit(whole[dot + 1]))
    dot = whole.find('.', dot + 1); // a member of an array
  line.head = whole.substr(0, dot);
  line.rest = dot == std::string::npos ? "." : whole.substr(dot + 1);
  return true;
}

static std::string inner(const Line &line, const std::string &axes) {
  return "    " + line.verb + " " + line.rest + line.arguments + " over " +
         axes + line.cut + "\n";
}

/// Members of an array have two spellings.
static std::string spelled(Rng &rng, std::string head) {
  size_t dot = head.find('.');
  if (dot == std::string::npos || rng.chance(0.5))
    return head;
  return head.substr(0, dot) + "[" + head.substr(dot + 1) + "]";
}

static std::string inAt(Rng &rng, const std::vector<Line> &group) {
  std::string text = "at " + spelled(rng, group.front().head) +
                     (rng.chance(0.3) ? " (count 1) {\n" : " {\n");
  for (const Line &line : group)
    text += inner(line, line.axes);
  return text + "  }";
}

/// `axes` by the names that the parameters of a `def` have for them; behind an
/// axis there may be an order, which stays.
static std::string renamed(const std::string &axes,
                           std::vector<std::string> &arguments) {
  std::string text;
  for (size_t i = 0; i < axes.size();) {
    size_t end = i;
    while (end < axes.size() && std::isalnum(axes[end]))
      ++end;
    bool isFirst = axes[i] != ' ' && (text.empty() || text.back() == '(' ||
                                      text.substr(text.size() - 2) == ", ");
    if (end > i && !isFirst) {
      text += axes.substr(i, end - i);
      i = end;
      continue;
    }
    if (end == i) {
      text += axes[i++];
      continue;
    }
    std::string axis = axes.substr(i, end - i);
    auto found = std::find(arguments.begin(), arguments.end(), axis);
    text += "ax" + std::to_string(found - arguments.begin());
    if (found == arguments.end())
      arguments.push_back(axis);
    i = end;
  }
  return text;
}

static std::string inDef(Rng &rng, const std::vector<Line> &group,
                         const std::string &name) {
  std::vector<std::string> arguments;
  std::string body, parameters, given;
  for (const Line &line : group)
    body += inner(line, renamed(line.axes, arguments));
  for (size_t i = 0; i < arguments.size(); ++i) {
    parameters += (i ? ", ax" : "ax") + std::to_string(i) + ": mesh_axis";
    given += (i ? ", " : "") + arguments[i];
  }
  return "def " + name + "(" + parameters + ") {\n" + body + "  }\n  use " +
         name + "(" + given + ") at " + spelled(rng, group.front().head);
}

std::vector<std::string>
hocket::random::inBlocks(Rng &rng, const std::vector<std::string> &lines) {
  std::vector<std::string> result;
  int defs = 0;
  for (size_t i = 0; i < lines.size();) {
    std::vector<Line> group;
    for (Line line; i + group.size() < lines.size() &&
                    parse(lines[i + group.size()], line) &&
                    (group.empty() || line.head == group.front().head);)
      group.push_back(line);
    if (group.empty() || rng.chance(0.4)) {
      result.push_back(lines[i++]);
      continue;
    }
    i += group.size();
    result.push_back(rng.chance(0.5)
                         ? inAt(rng, group)
                         : inDef(rng, group, "d" + std::to_string(defs++)));
  }
  return result;
}
