//===- hocket-runner-cuda.cpp - the one that plans for GPUs are put into --===//

#include "hocket/Launcher/Main.h"

int main(int argc, char **argv) {
  return hocket::runtime::runMain(argc, argv, hocket::runtime::openDevices);
}
