//===- Meeting.cpp - how processes find each other ------------------------===//

#include "runtime/lib/Tcp/Meeting.h"
#include "hocket/Runtime/PackedBytes.h"
#include "runtime/lib/Tcp/Sockets.h"
#include <algorithm>
#include <cstdio>
#include <poll.h>
#include <set>
#include <thread>
#include <unistd.h>

namespace hocket::runtime {

/// Beside the deadline, for process 0 to say who is late.
static constexpr auto grace = std::chrono::seconds(1);

/// Of an attempt to reach process 0, and of process 0 with those that come when
/// it has failed: they are to hear why.
static constexpr double patience = 3; // seconds

static const std::string otherPort =
    "name another port with --meet HOST:PORT, for all processes";

static Connection::Clock::time_point after(double seconds) {
  return Connection::Clock::now() +
         std::chrono::duration_cast<Connection::Clock::duration>(
             std::chrono::duration<double>(seconds));
}

static std::string secondsText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", value);
  return text;
}

static std::string nameOf(int64_t process, int64_t count) {
  return "process " + std::to_string(process) + " of " + std::to_string(count);
}

std::string Meeting::self() const {
  return nameOf(options.index, options.count);
}

Status Meeting::meet() { return options.index == 0 ? waitForAll() : join(); }

// ---- process 0 --------------------------------------------------------------

Status Meeting::waitForAll() {
  int listener = options.listener;
  if (listener < 0)
    if (Status status = listenAt(options.place, listener); !status.ok())
      return status;
  auto deadline = after(options.deadlineSeconds);
  Status status;
  while (status.ok() && int64_t(met.size()) + 1 < options.count)
    status = waitFor(listener, deadline);
  if (!status.ok())
    letOthersCome(listener, std::min(deadline, after(patience)));
  close(listener);
  if (status.ok())
    for (Met &one : met)
      // Who does not take it will be late where all meet next.
      (void)one.connection->send(FrameKind::Welcome, "", deadline + grace);
  return status;
}

void Meeting::letOthersCome(int listener, Clock::time_point deadline) {
  while (int64_t(met.size()) + 1 < options.count && Clock::now() < deadline) {
    std::vector<pollfd> polled = {{listener, POLLIN, 0}};
    for (const Met &one : fresh)
      polled.push_back({one.connection->descriptor(), POLLIN, 0});
    poll(polled.data(), polled.size(), pollTime(deadline));
    welcome(listener);
    (void)listenToNew(); // the first failure counts
  }
}

Status Meeting::waitFor(int listener, Clock::time_point deadline) {
  std::vector<pollfd> polled = {{listener, POLLIN, 0}};
  for (const std::vector<Met> *list : {&fresh, &met})
    for (const Met &one : *list)
      polled.push_back({one.connection->descriptor(), POLLIN, 0});
  poll(polled.data(), polled.size(), pollTime(deadline));
  welcome(listener);
  Status status = listenToNew();
  if (status.ok())
    status = listenToMet();
  bool isComplete = int64_t(met.size()) + 1 == options.count;
  return status.ok() && !isComplete && Clock::now() >= deadline ? late()
                                                                : status;
}

void Meeting::welcome(int listener) {
  for (int socket; (socket = acceptFrom(listener)) >= 0;) {
    auto connection = std::make_unique<Connection>(socket);
    if (connection->greet(Clock::now()) == Connection::Sent::All)
      fresh.push_back({-1, std::move(connection)});
  }
}

Status Meeting::listenToNew() {
  Status status;
  for (Met &one : fresh) {
    Frame frame;
    Connection::Got got = one.connection->receive(frame);
    if (got == Connection::Got::Nothing)
      continue;
    if (got == Connection::Got::Frame && frame.kind == FrameKind::Hello &&
        status.ok())
      status = admit(one, frame);
    else
      ++strangers;
    one.connection.reset();
  }
  fresh.erase(std::remove_if(fresh.begin(), fresh.end(),
                             [](const Met &one) { return !one.connection; }),
              fresh.end());
  return status;
}

Status Meeting::admit(Met &one, const Frame &hello) {
  std::string run;
  int64_t count = 0;
  ByteUnpacker unpacker(hello.content);
  unpacker.take(run);
  unpacker.take(one.process);
  unpacker.take(count);
  if (run != options.run) {
    ++strangers;
    (void)one.connection->send(FrameKind::OtherRun, "", Clock::now());
    return Status::success();
  }
  bool isTwice = one.process == 0;
  for (const Met &other : met)
    isTwice |= other.process == one.process;
  met.push_back({one.process, std::move(one.connection)});
  if (count != options.count)
    return Status::userError(
        "process " + std::to_string(one.process) + " was started as one of " +
        std::to_string(count) + " processes, process 0 as one of " +
        std::to_string(options.count) +
        "; start all with the same number (WORLD_SIZE, or --ranks-per-node)");
  if (isTwice)
    return Status::userError("two processes say that they are " +
                             nameOf(one.process, count) +
                             "; start each with a number of its own (RANK, or "
                             "--node)");
  return Status::success();
}

Status Meeting::listenToMet() {
  for (const Met &one : met) {
    Frame frame;
    if (one.connection->receive(frame) != Connection::Got::Nothing)
      return Status::runtimeError(nameOf(one.process, options.count) +
                                  " ended before all processes had come");
  }
  return Status::success();
}

Status Meeting::late() const {
  std::set<int64_t> missing;
  for (int64_t process = 1; process < options.count; ++process)
    missing.insert(process);
  for (const Met &one : met)
    missing.erase(one.process);
  constexpr size_t most = 8;
  std::string names;
  size_t named = 0;
  for (int64_t process : missing)
    if (named++ < most)
      names += (names.empty() ? "" : ", ") + std::to_string(process);
  if (missing.size() > most)
    names += " and " + std::to_string(missing.size() - most) + " more";
  std::string text =
      (missing.size() == 1 ? "process " : "processes ") + names + " of " +
      std::to_string(options.count) + " did not come to " +
      options.place.text() + ", where process 0 waited for " +
      secondsText(options.deadlineSeconds) +
      "; start all, and let them wait longer with --deadline SECONDS";
  if (strangers > 0)
    text += " (" + std::to_string(strangers) +
            (strangers == 1 ? " connection that came is"
                            : " connections that came are") +
            " not of this run)";
  return Status::runtimeError(text);
}

// ---- the others -------------------------------------------------------------

Status Meeting::join() {
  constexpr auto pause = std::chrono::milliseconds(50);
  auto deadline = after(options.deadlineSeconds);
  std::string reason;
  while (true) {
    int socket =
        reach(options.place, std::min(deadline, after(patience)), reason);
    Status status;
    if (socket >= 0 && introduce(socket, status, reason))
      return status;
    if (Clock::now() >= deadline)
      break;
    std::this_thread::sleep_for(pause);
  }
  return Status::runtimeError(
      self() + " found no process 0 at " + options.place.text() + " within " +
      secondsText(options.deadlineSeconds) + " (" + reason +
      "); start process 0 there, or name its machine and a port that is open "
      "with --meet HOST:PORT, for all processes");
}

bool Meeting::introduce(int socket, Status &status, std::string &reason) {
  auto connection = std::make_unique<Connection>(socket);
  auto deadline = after(options.deadlineSeconds) + grace;
  BytePacker packer;
  packer.add(options.run);
  packer.add(options.index);
  packer.add(options.count);
  (void)connection->greet(deadline);
  (void)connection->send(FrameKind::Hello, packer.bytes, deadline);
  Frame frame;
  Connection::Got got = Connection::Got::Nothing;
  while ((got = connection->receive(frame)) == Connection::Got::Nothing &&
         Clock::now() < deadline) {
    pollfd polled = {socket, POLLIN, 0};
    poll(&polled, 1, pollTime(deadline));
  }
  if (got == Connection::Got::Ended) {
    reason = "it ended the connection";
    return false;
  }
  const std::string what = "what listens at " + options.place.text();
  if (got == Connection::Got::Nothing)
    status = Status::runtimeError(
        what + " did not answer " + self() + " within " +
        secondsText(options.deadlineSeconds) + "; " + otherPort);
  else if (got == Connection::Got::Stranger)
    status = Status::userError(what +
                               " is another program, and not process 0 "
                               "of this run; " +
                               otherPort);
  else if (frame.kind == FrameKind::OtherRun)
    status =
        Status::userError(what + " is process 0 of another run; " + otherPort);
  else if (frame.kind == FrameKind::Word)
    word = frame.content;
  if (status.ok())
    met.push_back({0, std::move(connection)});
  return true;
}

} // namespace hocket::runtime
