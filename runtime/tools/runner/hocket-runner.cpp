//===- hocket-runner.cpp - the program that plans for CPUs are put into ---===//

#include "hocket/Launcher/Main.h"

int main(int argc, char **argv) {
  return hocket::runtime::runMain(argc, argv, hocket::runtime::openCpuDevices);
}
