//===- ReadDevice.cpp - a described GPU from text -------------------------===//

#include "hocket/Bound/DescribedDevice.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using Json = nlohmann::json;

namespace hocket::bound {

namespace {

std::string namesOf(const std::vector<DeviceNumber> &numbers) {
  std::string names;
  for (const DeviceNumber &one : numbers)
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  return names;
}

std::string knownNames() {
  std::string names;
  for (const DescribedDevice &device : knownDevices())
    names += (names.empty() ? "" : ", ") + device.name;
  return names;
}

/// Sets numbers by their names, each once.
class Setter {
public:
  Setter(DescribedDevice &device, std::string &error)
      : device(device), error(error) {}

  bool set(const std::string &name, double value, const std::string &text) {
    auto found =
        std::find_if(deviceNumbers().begin(), deviceNumbers().end(),
                     [&](const DeviceNumber &one) { return one.name == name; });
    if (found == deviceNumbers().end())
      return fail("a device has no number '" + name + "'; there are " +
                  namesOf(deviceNumbers()));
    if (!(value > 0) || std::isinf(value))
      return fail(name + " of a device is '" + text +
                  "', expected a number above 0");
    if (std::count(given.begin(), given.end(), name))
      return fail(name + " of the device is given twice");
    given.push_back(name);
    device.*found->number = value;
    return true;
  }

  bool hasAll() {
    std::vector<DeviceNumber> missing;
    for (const DeviceNumber &one : deviceNumbers())
      if (device.*one.number == 0)
        missing.push_back(one);
    return missing.empty() || fail("the device lacks " + namesOf(missing) +
                                   "; give them, or begin with one of " +
                                   knownNames() + " and change what differs");
  }

  bool fail(const std::string &text) {
    error = text;
    return false;
  }

private:
  DescribedDevice &device;
  std::string &error;
  std::vector<std::string> given;
};

/// What is no number as a whole is none.
double numberOf(const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end ? NAN : value;
}

/// "link=5e10".
bool readPart(const std::string &part, Setter &setter) {
  size_t equals = part.find('=');
  if (equals == std::string::npos)
    return setter.fail("'" + part + "' is no number of a device: write NAME=" +
                       "VALUE, of " + namesOf(deviceNumbers()));
  std::string value = part.substr(equals + 1);
  return setter.set(part.substr(0, equals), numberOf(value), value);
}

/// Everything after a known name, or all of it.
bool readParts(const std::string &text, DescribedDevice &device,
               std::string &error) {
  Setter setter(device, error);
  std::stringstream parts(text);
  std::string part;
  for (bool isFirst = true; std::getline(parts, part, ','); isFirst = false) {
    if (!isFirst || part.find('=') != std::string::npos) {
      if (!readPart(part, setter))
        return false;
      continue;
    }
    auto known = std::find_if(
        knownDevices().begin(), knownDevices().end(),
        [&](const DescribedDevice &one) { return one.name == part; });
    if (known == knownDevices().end())
      return setter.fail("there is no device '" + part + "'; there are " +
                         knownNames() + "; another one is described as " +
                         "memory=3.35e12,... or in a file FILE.json");
    device = *known;
  }
  device.name = text;
  if (text.find('=') != std::string::npos)
    device.source.clear();
  return setter.hasAll();
}

bool readObject(const Json &object, DescribedDevice &device,
                std::string &error) {
  Setter setter(device, error);
  for (auto &[name, value] : object.items()) {
    if (name == "name" && value.is_string()) {
      device.name = value.get<std::string>();
      continue;
    }
    if (!setter.set(name, value.is_number() ? value.get<double>() : NAN,
                    value.dump()))
      return false;
  }
  return setter.hasAll();
}

bool readFile(const std::string &path, DescribedDevice &device,
              std::string &error) {
  device.name = path;
  std::ifstream file(path);
  if (!file) {
    error = "cannot be read: " + std::string(std::strerror(errno));
    return false;
  }
  Json object = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    error = "is no JSON object";
    return false;
  }
  return readObject(object, device, error);
}

} // namespace

std::optional<DescribedDevice> readDevice(const std::string &text,
                                          std::string &error) {
  constexpr std::string_view suffix = ".json";
  DescribedDevice device;
  bool isFile =
      text.size() > suffix.size() &&
      text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
  if (!isFile)
    return readParts(text, device, error) ? std::optional(device)
                                          : std::nullopt;
  if (readFile(text, device, error))
    return device;
  error = "device '" + text + "': " + error;
  return std::nullopt;
}

} // namespace hocket::bound
