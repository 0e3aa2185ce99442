//===- BoundText.cpp - the least time of a step, for people and JSON ------===//

#include "BoundText.h"
#include "PlanText.h"
#include "hocket/Placement/Meet.h"
#include <algorithm>
#include <iostream>
#include <numeric>

using namespace hocket;
using namespace hocket::tool;
using bound::KindBound;
using Json = nlohmann::ordered_json;

std::string tool::secondsText(double seconds) {
  static const char *const units[] = {"s", "ms", "us"};
  int unit = 0;
  for (; seconds < 1 && unit < 2; ++unit)
    seconds *= 1000;
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %s", seconds, units[unit]);
  return text;
}

namespace {

/// "memory 88 %, launch 12 %"; one of 99 % or more stands alone.
std::string limitsText(const bound::SecondsByLimit &seconds) {
  std::vector<size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(-seconds[a], a) < std::pair(-seconds[b], b);
  });
  double all = bound::sumOf(seconds);
  std::string text;
  for (size_t limit : order) {
    int percent = all > 0 ? int(100 * seconds[limit] / all + 0.5) : 0;
    if (percent >= 99)
      return bound::limitWords[limit];
    if (percent > 0)
      text += (text.empty() ? "" : ", ") +
              std::string(bound::limitWords[limit]) + " " +
              std::to_string(percent) + " %";
  }
  return text;
}

std::string flopsText(const KindBound &row) {
  std::string text;
  for (size_t unit = 0; unit < row.flops.size(); ++unit)
    if (row.flops[unit])
      text += (text.empty() ? "" : " + ") + tool::flopsText(row.flops[unit]) +
              " " + plan::unitWords[unit];
  return text;
}

std::string countText(int64_t count) {
  return count ? std::to_string(count) : "";
}

std::string bytesText(int64_t bytes) {
  return bytes ? placement::bytesText(bytes) : "";
}

constexpr size_t columns = 8;
using Line = std::array<std::string, columns>;

/// What binds it, and what else of it was hidden.
std::string reasonText(const KindBound &row) {
  std::string text = limitsText(row.seconds);
  if (row.hiddenSeconds > 0)
    text +=
        (text.empty() ? "" : ", ") + secondsText(row.hiddenSeconds) + " hidden";
  return text;
}

Line lineOf(const std::string &title, const KindBound &row) {
  return {title,
          countText(row.calls),
          countText(row.launches.all()),
          bytesText(row.readBytes),
          bytesText(row.writtenBytes),
          bytesText(row.receivedBytes),
          flopsText(row),
          secondsText(bound::sumOf(row.seconds))};
}

/// Columns that nothing is in are left out; the reason stands behind them.
void printTable(const std::vector<Line> &lines,
                const std::vector<std::string> &reasons) {
  std::array<size_t, columns> widths = {};
  for (size_t i = 0; i < columns; ++i)
    for (size_t row = 1; row < lines.size(); ++row)
      if (!lines[row][i].empty())
        widths[i] =
            std::max({widths[i], lines[row][i].size(), lines[0][i].size()});
  for (size_t row = 0; row < lines.size(); ++row) {
    std::string text = "    " + lines[row][0];
    text.resize(4 + widths[0], ' ');
    for (size_t i = 1; i < columns; ++i)
      if (widths[i])
        text += "  " + std::string(widths[i] - lines[row][i].size(), ' ') +
                lines[row][i];
    text += "  " + reasons[row];
    text.resize(text.find_last_not_of(' ') + 1);
    std::cout << text << "\n";
  }
}

void printLaunches(const runtime::cuda::LaunchCounts &launches) {
  std::string text, separator;
  auto add = [&](int64_t count, const char *one, const char *several) {
    if (count)
      text += separator + std::to_string(count) + " " +
              (count == 1 ? one : several);
    if (count)
      separator = ", ";
  };
  add(launches.generated, "generated kernel", "generated kernels");
  add(launches.library, "call of a library", "calls of libraries");
  add(launches.own, "own kernel", "own kernels");
  add(launches.copies, "copy", "copies");
  if (!text.empty())
    std::cout << "    launches: " << text << "\n";
}

Json jsonOf(const KindBound &row) {
  Json flops = Json::object(), seconds = Json::object();
  for (size_t unit = 0; unit < row.flops.size(); ++unit)
    flops[plan::unitWords[unit]] = row.flops[unit];
  for (size_t limit = 0; limit < row.seconds.size(); ++limit)
    seconds[bound::limitWords[limit]] = row.seconds[limit];
  return {{"calls", row.calls},
          {"launches",
           {{"generated", row.launches.generated},
            {"library", row.launches.library},
            {"own", row.launches.own},
            {"copies", row.launches.copies}}},
          {"flops", flops},
          {"read_bytes", row.readBytes},
          {"written_bytes", row.writtenBytes},
          {"received_bytes", row.receivedBytes},
          {"seconds", bound::sumOf(row.seconds)},
          {"seconds_by", seconds},
          {"hidden_seconds", row.hiddenSeconds}};
}

} // namespace

void tool::printBound(const plan::Plan &plan, const bound::StepBound &bound,
                      const bound::DescribedDevice &device) {
  const bound::RankBound &slowest = bound.slowest[bound.slowestClass()];
  const KindBound &total = slowest.total;
  std::cout << "  step on " << device.name << " at least "
            << secondsText(bound::sumOf(total.seconds));
  if (plan.rankCount() > 1)
    std::cout << ", rank " << slowest.rank;
  if (std::string limits = limitsText(total.seconds); !limits.empty())
    std::cout << ", bound by " << limits;
  std::cout << "\n";
  std::vector<Line> lines = {{"", "calls", "launches", "read", "written",
                              "received", "compute", "at least"}};
  std::vector<std::string> reasons = {"bound by"};
  for (const KindBound &row : slowest.kinds) {
    lines.push_back(lineOf(row.kind, row));
    reasons.push_back(reasonText(row));
  }
  lines.push_back(lineOf("in all", total));
  reasons.push_back(reasonText(total));
  printTable(lines, reasons);
  printLaunches(total.launches);
}

Json tool::boundJson(const plan::Plan &plan, const bound::StepBound &bound,
                     const bound::DescribedDevice &device) {
  Json described = {{"name", device.name}, {"source", device.source}};
  for (const bound::DeviceNumber &one : bound::deviceNumbers())
    described[one.name] = device.*one.number;
  Json classes = Json::array();
  for (size_t k = 0; k < plan.classes.size(); ++k) {
    const bound::RankBound &slowest = bound.slowest[k];
    Json kinds = Json::object();
    for (const KindBound &row : slowest.kinds)
      kinds[row.kind] = jsonOf(row);
    classes.push_back({{"ranks", plan.classes[k].ranks},
                       {"slowest", slowest.rank},
                       {"total", jsonOf(slowest.total)},
                       {"kinds", kinds}});
  }
  return {{"device", described},
          {"seconds_per_rank", bound.secondsPerRank},
          {"classes", classes}};
}
