//===- NotMet.cpp - what no case of a folder meets, and why ---------------===//

#include "NotMet.h"
#include "PlanKinds.h"
#include <sstream>

using namespace hocket;

std::map<std::string, std::string> random::readNotMet(const std::string &text) {
  std::map<std::string, std::string> listed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t colon = line.find(": ");
    if (!line.empty() && line[0] != '#' && colon != std::string::npos)
      listed[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return listed;
}

std::vector<std::string>
random::checkNotMet(const std::map<std::string, std::string> &listed,
                    const Coverage &coverage,
                    const std::set<std::string> &operations) {
  std::map<std::string, bool> met; // of all that there is
  for (const std::string &name : operations)
    met[name] = false;
  for (const auto &[row, count] : coverage.rows())
    met[row] = count > 0;
  for (const std::string &kind : allKinds())
    met[kind] = false;
  for (const auto &[kind, count] : coverage.kinds())
    met[kind] = count > 0;
  std::vector<std::string> wrong;
  for (const auto &[name, isMet] : met)
    if (!isMet && !listed.count(name))
      wrong.push_back("no case meets '" + name + "', and it is not listed");
  for (const auto &[name, reason] : listed) {
    auto found = met.find(name);
    if (found == met.end())
      wrong.push_back("'" + name + "' is listed, and there is no such thing");
    else if (found->second)
      wrong.push_back("'" + name + "' is listed, and a case meets it");
  }
  return wrong;
}
