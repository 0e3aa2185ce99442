//===- TcpMeeting.cpp - what processes say that do not find each other ----===//

#include "hocket/Tcp/TcpProcesses.h"
#include "runtime/lib/Ranks/LaunchedProcesses.h"
#include "runtime/lib/Tcp/Connection.h"
#include "runtime/lib/Tcp/Sockets.h"
#include "test/Runtime/ForkedProcesses.h"
#include <chrono>
#include <fcntl.h>
#include <mutex>
#include <sys/socket.h>
#include <thread>

using namespace hocket::runtime;
using namespace hocket::test;

namespace {

/// A port of this machine that nobody uses, or, until it is released, nobody
/// answers at.
class Port {
public:
  Port() { EXPECT_TRUE(listenToThisMachine(listener, place).ok()); }
  ~Port() { release(); }
  MeetingPlace release() {
    if (listener >= 0)
      close(listener);
    listener = -1;
    return place;
  }

  int listener = -1;
  MeetingPlace place;
};

TcpOptions optionsOf(int64_t index, int64_t count, const MeetingPlace &place,
                     double deadline = 20) {
  TcpOptions options;
  options.index = index;
  options.count = count;
  options.place = place;
  options.run = "run 1";
  options.deadlineSeconds = deadline;
  return options;
}

/// Without the number of the port, which is another one every time.
std::string said(std::string text, const MeetingPlace &place) {
  std::string port = std::to_string(place.port);
  for (size_t at; (at = text.find(port)) != std::string::npos;)
    text.replace(at, port.size(), "PORT");
  return text;
}

/// Meets, and says why it could not and whether another process tells.
void meet(const TcpOptions &options, SharedText &says) {
  std::unique_ptr<LaunchedProcesses> run;
  Status status = startTcp(options, run);
  if (status.ok()) {
    says.add("met");
    return run->end(0);
  }
  says.add((run->wasTold() ? "told: " : "") +
           said(status.message, options.place));
  run->end(status.exitStatus());
}

/// Meets in this process, with others that take no part in it.
std::string meetHere(const TcpOptions &options) {
  std::unique_ptr<LaunchedProcesses> run;
  Status status = startTcp(options, run);
  EXPECT_FALSE(status.ok());
  return said(status.message, options.place);
}

const std::string otherPort =
    "; name another port with --meet HOST:PORT, for all processes";

} // namespace

TEST(TcpMeeting, Places) {
  MeetingPlace place;
  EXPECT_TRUE(parseMeetingPlace("node-1:29500", place));
  EXPECT_EQ(place.host, "node-1");
  EXPECT_EQ(place.port, 29500);
  EXPECT_TRUE(parseMeetingPlace("[fe80::1]:1", place));
  EXPECT_EQ(place.host, "fe80::1");
  EXPECT_EQ(place.text(), "[fe80::1]:1");
  for (const char *bad :
       {"", "node", ":1", "node:", "node:0", "node:65536", "node:2x",
        "fe80::1:1", "[]:1", "a b:1", "node:999999"})
    EXPECT_FALSE(parseMeetingPlace(bad, place)) << bad;
}

TEST(TcpMeeting, OthersComeFirst) {
  Port port;
  MeetingPlace place = port.release();
  place.host = "localhost";
  std::vector<Said> all = runProcesses(3, [&](int64_t index, SharedText &says) {
    usleep(useconds_t(index == 0 ? 300000 : 0));
    meet(optionsOf(index, 3, place), says);
  });
  for (const Said &one : all)
    EXPECT_EQ(one.text, "met");
}

TEST(TcpMeeting, NobodyListens) {
  Port port;
  EXPECT_EQ(meetHere(optionsOf(1, 2, port.release(), 0.2)),
            "process 1 of 2 found no process 0 at 127.0.0.1:PORT within 0.2 s "
            "(Connection refused); start process 0 there, or name its machine "
            "and a port that is open with --meet HOST:PORT, for all processes");
  std::string unknown =
      meetHere(optionsOf(1, 2, {"no.such.host.invalid", 9}, 0.2));
  EXPECT_EQ(unknown.substr(0, unknown.find(" (")),
            "process 1 of 2 found no process 0 at no.such.host.invalid:PORT "
            "within 0.2 s");
}

TEST(TcpMeeting, ThePortIsTaken) {
  Port port;
  EXPECT_EQ(meetHere(optionsOf(0, 2, port.place)),
            "process 0 cannot listen at port PORT of this machine: Address "
            "already in use; another program may use it: name another one with "
            "--meet HOST:PORT, for all processes");
}

TEST(TcpMeeting, SomeDoNotCome) {
  Port port;
  MeetingPlace place = port.release();
  std::vector<Said> all = runProcesses(2, [&](int64_t index, SharedText &says) {
    meet(optionsOf(2 * index, 4, place, 0.5), says);
  });
  const std::string late =
      "processes 1, 3 of 4 did not come to 127.0.0.1:PORT, where process 0 "
      "waited for 0.5 s; start all, and let them wait longer with --deadline "
      "SECONDS";
  EXPECT_EQ(all[0].text, late);
  EXPECT_EQ(all[1].text, "told: " + late);
  EXPECT_EQ(all[0].status, 3);
  EXPECT_EQ(all[1].status, 3);
  TcpOptions many = optionsOf(0, 12, place, 0.1);
  EXPECT_EQ(meetHere(many).substr(0, 60),
            "processes 1, 2, 3, 4, 5, 6, 7, 8 and 3 more of 12 did not co");
}

TEST(TcpMeeting, OneEndsBeforeAllHaveCome) {
  Port port;
  MeetingPlace place = port.release();
  std::vector<Said> all = runProcesses(3, [&](int64_t index, SharedText &says) {
    if (index == 2)
      alarm(1);
    meet(optionsOf(index, 4, place), says);
  });
  const std::string ended =
      "process 2 of 4 ended before all processes had come";
  EXPECT_EQ(all[0].text, ended);
  EXPECT_EQ(all[1].text, "told: " + ended);
  EXPECT_EQ(all[2].status, -SIGALRM);
}

TEST(TcpMeeting, TwoWithOneNumber) {
  Port port;
  MeetingPlace place = port.release();
  std::vector<Said> all = runProcesses(4, [&](int64_t index, SharedText &says) {
    if (index == 3) // comes when process 0 has failed, and is told too
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    meet(optionsOf(index == 2 ? 1 : index, 4, place), says);
  });
  const std::string twice = "two processes say that they are process 1 of 4; "
                            "start each with a number of its own (RANK, or "
                            "--node)";
  EXPECT_EQ(all[0].text, twice);
  for (int64_t index : {1, 2, 3})
    EXPECT_EQ(all[size_t(index)].text, "told: " + twice);
  for (const Said &one : all)
    EXPECT_EQ(one.status, 1);
}

TEST(TcpMeeting, AnotherCount) {
  Port port;
  MeetingPlace place = port.release();
  std::vector<Said> all = runProcesses(2, [&](int64_t index, SharedText &says) {
    meet(optionsOf(index, index == 0 ? 2 : 3, place), says);
  });
  const std::string wrong =
      "process 1 was started as one of 3 processes, process 0 as one of 2; "
      "start all with the same number (WORLD_SIZE, or --ranks-per-node)";
  EXPECT_EQ(all[0].text, wrong);
  EXPECT_EQ(all[1].text, "told: " + wrong);
}

/// Who is of another run is sent away, and this one goes on.
TEST(TcpMeeting, AnotherRun) {
  Port port;
  MeetingPlace place = port.release();
  std::vector<Said> all = runProcesses(3, [&](int64_t index, SharedText &says) {
    TcpOptions options = optionsOf(index == 0 ? 0 : 1, 2, place);
    if (index == 1)
      options.run = "run 2";
    else if (index == 2)
      usleep(500000);
    meet(options, says);
  });
  EXPECT_EQ(all[0].text, "met");
  EXPECT_EQ(all[1].text, "what listens at 127.0.0.1:PORT is process 0 of "
                         "another run" +
                             otherPort);
  EXPECT_EQ(all[2].text, "met");
}

/// Another program that listens: it says `text`, or nothing.
static std::string meetProgram(const std::string &text, double deadline) {
  Port port;
  std::thread program([&] {
    fcntl(port.listener, F_SETFL, 0); // waits
    int socket = accept(port.listener, nullptr, nullptr);
    EXPECT_EQ(send(socket, text.data(), text.size(), 0), ssize_t(text.size()));
    usleep(useconds_t((deadline + 1.2) * 1e6));
    close(socket);
  });
  std::string result = meetHere(optionsOf(1, 2, port.place, deadline));
  program.join();
  return result;
}

TEST(TcpMeeting, AnotherProgramListens) {
  EXPECT_EQ(meetProgram("HTTP/1.1 400 Bad Request\r\n\r\n", 0.1),
            "what listens at 127.0.0.1:PORT is another program, and not "
            "process 0 of this run" +
                otherPort);
  EXPECT_EQ(meetProgram("", 0.1), "what listens at 127.0.0.1:PORT did not "
                                  "answer process 1 of 2 within 0.1 s" +
                                      otherPort);
}

/// Other programs that connect: one says something else, one nothing, one goes
/// at once.
TEST(TcpMeeting, OtherProgramsConnect) {
  Port port;
  MeetingPlace place = port.release();
  std::vector<Said> all = runProcesses(3, [&](int64_t index, SharedText &says) {
    if (index < 2) {
      usleep(useconds_t(index * 500000));
      return meet(optionsOf(index, 2, place), says);
    }
    usleep(100000);
    std::string reason;
    auto soon = Connection::Clock::now() + std::chrono::seconds(5);
    int silent = reach(place, soon, reason);
    close(reach(place, soon, reason));
    int loud = reach(place, soon, reason);
    const std::string text = "GET / HTTP/1.1\r\n\r\n";
    ASSERT_EQ(send(loud, text.data(), text.size(), 0), ssize_t(text.size()));
    usleep(1000000);
    close(silent);
  });
  EXPECT_EQ(all[0].text, "met");
  EXPECT_EQ(all[1].text, "met");
  EXPECT_EQ(all[2].status, 0);
  std::thread program([&] {
    std::string reason;
    auto soon = Connection::Clock::now() + std::chrono::seconds(5);
    usleep(200000);
    close(reach(place, soon, reason));
  });
  EXPECT_EQ(meetHere(optionsOf(0, 2, place, 0.6)),
            "process 1 of 2 did not come to 127.0.0.1:PORT, where process 0 "
            "waited for 0.6 s; start all, and let them wait longer with "
            "--deadline SECONDS (1 connection that came is not of this run)");
  program.join();
}

/// A frame that comes byte by byte, and one whose length cannot be.
TEST(TcpMeeting, Frames) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Connection connection(ends[0]);
  auto put = [&](const std::string &bytes) {
    ASSERT_EQ(write(ends[1], bytes.data(), bytes.size()),
              ssize_t(bytes.size()));
  };
  std::string bytes = "hocket1\n";
  int64_t kind = int64_t(FrameKind::Content), length = 3;
  bytes.append(reinterpret_cast<char *>(&kind), 8);
  bytes.append(reinterpret_cast<char *>(&length), 8);
  bytes += "abc";
  Frame frame;
  for (size_t i = 0; i + 1 < bytes.size(); ++i) {
    put(bytes.substr(i, 1));
    EXPECT_EQ(connection.receive(frame), Connection::Got::Nothing);
  }
  put("c");
  EXPECT_EQ(connection.receive(frame), Connection::Got::Frame);
  EXPECT_EQ(frame.kind, FrameKind::Content);
  EXPECT_EQ(frame.content, "abc");
  put(bytes.substr(8, 8) + std::string(8, '\xff'));
  EXPECT_EQ(connection.receive(frame), Connection::Got::Stranger);
  // Much is announced, little comes, and then the end.
  Connection other(dup(ends[0]));
  length = int64_t(1) << 50;
  put(bytes.substr(0, 16) + std::string(reinterpret_cast<char *>(&length), 8) +
      "abc");
  EXPECT_EQ(other.receive(frame), Connection::Got::Nothing);
  close(ends[1]);
  EXPECT_EQ(other.receive(frame), Connection::Got::Ended);
}
