//===- DescribedDeviceTest.cpp - GPUs described in text -------------------===//

#include "hocket/Bound/DescribedDevice.h"
#include <gtest/gtest.h>

#include "test/Runtime/TemporaryFolder.h"

using namespace hocket::bound;

namespace {

const std::string all = "memory=1e12,half_matrix=8e12,f64_matrix=4e12,f32=2e12,"
                        "f64=1e12,link=1e11,launch=1e-6,multiprocessors=10";

std::string errorOf(const std::string &text) {
  std::string error;
  EXPECT_FALSE(readDevice(text, error)) << text;
  return error;
}

TEST(DescribedDevice, KnownOnesHaveAllNumbersAndASource) {
  for (const DescribedDevice &device : knownDevices()) {
    EXPECT_FALSE(device.source.empty());
    for (const DeviceNumber &one : deviceNumbers())
      EXPECT_GT(device.*one.number, 0) << device.name << " " << one.name;
    std::string error;
    auto read = readDevice(device.name, error);
    ASSERT_TRUE(read) << error;
    EXPECT_EQ(read->source, device.source);
    EXPECT_EQ(read->memory, device.memory);
  }
}

TEST(DescribedDevice, NumbersAreChanged) {
  std::string error;
  auto device = readDevice("h100,link=5e10,launch=2e-6", error);
  ASSERT_TRUE(device) << error;
  EXPECT_EQ(device->name, "h100,link=5e10,launch=2e-6");
  EXPECT_EQ(device->source, "");
  EXPECT_EQ(device->link, 5e10);
  EXPECT_EQ(device->launch, 2e-6);
  EXPECT_EQ(device->memory, 3.35e12);
}

TEST(DescribedDevice, AllNumbersAreGiven) {
  std::string error;
  auto device = readDevice(all, error);
  ASSERT_TRUE(device) << error;
  EXPECT_EQ(device->halfMatrix, 8e12);
  EXPECT_EQ(device->f64Matrix, 4e12);
  EXPECT_EQ(device->f32, 2e12);
  EXPECT_EQ(device->f64, 1e12);
  EXPECT_EQ(device->multiprocessors, 10);
}

#define NUMBERS                                                                \
  "memory, half_matrix, f64_matrix, f32, f64, link, launch, multiprocessors"
#define KNOWN "h100, h100-pcie, h200, a100, b200"

TEST(DescribedDevice, WhatIsWrongIsSaid) {
  EXPECT_EQ(errorOf("h10"),
            "there is no device 'h10'; there are " KNOWN
            "; another one is described as memory=3.35e12,... or in a file "
            "FILE.json");
  EXPECT_EQ(errorOf("h100,nvlink=1"),
            "a device has no number 'nvlink'; there are " NUMBERS);
  EXPECT_EQ(errorOf("h100,a100"), "'a100' is no number of a device: write "
                                  "NAME=VALUE, of " NUMBERS);
  for (std::string value : {"", "0", "-1", "3.35TB", "inf", "nan"})
    EXPECT_EQ(errorOf("h100,memory=" + value),
              "memory of a device is '" + value +
                  "', expected a number above 0");
  EXPECT_EQ(errorOf("h100,link=1,link=2"), "link of the device is given twice");
  EXPECT_EQ(errorOf("memory=1e12,f32=1e12"),
            "the device lacks half_matrix, f64_matrix, f64, link, launch, "
            "multiprocessors; give them, or begin with one of " KNOWN
            " and change what differs");
}

class DeviceFile : public testing::Test {
protected:
  std::string write(const std::string &text) {
    return folder.write("mine.json", text);
  }
  TemporaryFolder folder;
};

const std::string object =
    R"({"name": "mine", "memory": 1e12, "half_matrix": 8e12, "f64_matrix": 4e12,
        "f32": 2e12, "f64": 1e12, "link": 1e11, "launch": 1e-6,
        "multiprocessors": 10})";

TEST_F(DeviceFile, IsAnObjectOfNumbers) {
  std::string error;
  auto device = readDevice(write(object), error);
  ASSERT_TRUE(device) << error;
  EXPECT_EQ(device->name, "mine");
  EXPECT_EQ(device->link, 1e11);
}

TEST_F(DeviceFile, WhatIsWrongIsSaid) {
  std::string path = write("[1]");
  EXPECT_EQ(errorOf(path), "device '" + path + "': is no JSON object");
  write(R"({"memory": "fast"})");
  EXPECT_EQ(errorOf(path), "device '" + path +
                               "': memory of a device is '\"fast\"', expected "
                               "a number above 0");
  std::string none = folder.path("none.json");
  EXPECT_EQ(errorOf(none),
            "device '" + none + "': cannot be read: No such file or directory");
}

} // namespace
