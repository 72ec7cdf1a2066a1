#include "tools/wharf/terminal/paced_output.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace wharf::tool {
namespace {

// Both ends of a pipe, or of a pair of sockets, as a program and its reader have them.
struct Ends {
  int reader = -1;
  int writer = -1;
};

Ends MakePipe() {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  return {.reader = ends[0], .writer = ends[1]};
}

Ends MakeSockets() {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  return {.reader = ends[0], .writer = ends[1]};
}

class PacedOutputTest : public testing::Test {
 protected:
  ~PacedOutputTest() override {
    if (file_ != nullptr) std::fclose(file_);
    CloseReader();
  }

  PacedOutput& Open(Ends ends) {
    std::signal(SIGPIPE, SIG_IGN);
    reader_ = ends.reader;
    file_ = fdopen(ends.writer, "w");
    out_.emplace(file_);
    return paced_.emplace(*out_, interruption_, [this](std::uint64_t count) { taken_ += count; });
  }

  void Print(std::string_view text) {
    paced_->Put(text);
    paced_->End();
  }

  std::string Read(std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t at = 0;
    while (at < size) {
      const ssize_t count = read(reader_, bytes.data() + at, size - at);
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    bytes.resize(at);
    return bytes;
  }

  void CloseReader() {
    if (reader_ >= 0) close(reader_);
    reader_ = -1;
  }

  Interruption interruption_;
  std::FILE* file_ = nullptr;
  int reader_ = -1;
  std::optional<Output> out_;
  std::atomic<std::uint64_t> taken_ = 0;
  std::optional<PacedOutput> paced_;
};

TEST_F(PacedOutputTest, ToAFileAMessageIsTakenWhenItIsWritten) {
  std::FILE* file = std::tmpfile();
  Output out(file);
  std::uint64_t taken = 0;
  PacedOutput paced(out, interruption_, [&](std::uint64_t count) { taken += count; });

  for (int i = 0; i < 1000; ++i) {
    paced.Put("message\n");
    paced.End();
  }
  paced.Flush();

  EXPECT_EQ(taken, 1000U);
  EXPECT_EQ(std::ftell(file), 8000);
  std::fclose(file);
}

TEST_F(PacedOutputTest, AMessageIsTakenWhenItsLastByteIs) {
  Open(MakePipe());
  std::thread writer([this] { Print("first\n"); });

  EXPECT_EQ(Read(5), "first");
  EXPECT_EQ(taken_, 0U);
  EXPECT_EQ(Read(1), "\n");

  writer.join();
  EXPECT_EQ(taken_, 1U);
}

TEST_F(PacedOutputTest, AReaderThatFollowsGetsTwiceAsManyEveryTime) {
  PacedOutput& paced = Open(MakePipe());
  std::thread reader([this] { Read(100'000 * 8); });

  for (int i = 0; i < 100'000; ++i) Print("message\n");
  paced.WaitUntilTaken();

  reader.join();
  EXPECT_EQ(taken_, 100'000U);
  EXPECT_GT(paced.ahead(), 1000U);
}

TEST_F(PacedOutputTest, WhatLiesInThePipeOfAReaderThatIsGoneIsNotTaken) {
  PacedOutput& paced = Open(MakePipe());
  std::thread writer([this] {
    Print("first\n");
    Print("second\n");
    Print("third\n");
  });
  EXPECT_EQ(Read(6), "first\n");
  EXPECT_EQ(Read(3), "sec");

  CloseReader();
  writer.join();
  paced.WaitUntilTaken();

  EXPECT_TRUE(paced.is_reader_gone());
  EXPECT_EQ(taken_, 1U);
}

TEST_F(PacedOutputTest, ALongMessageIsWrittenAsItIsRead) {
  const std::string body(1 << 20, 'x');
  PacedOutput& paced = Open(MakePipe());
  std::thread reader([&] { EXPECT_EQ(Read(body.size()), body); });

  Print(body);
  paced.WaitUntilTaken();

  reader.join();
  EXPECT_EQ(taken_, 1U);
}

TEST_F(PacedOutputTest, ASocketCountsAsAPipe) {
  PacedOutput& paced = Open(MakeSockets());
  std::thread writer([this] {
    Print("first\n");
    Print("second\n");
    paced_->Flush();
  });

  EXPECT_EQ(Read(6), "first\n");
  EXPECT_EQ(Read(2), "se");
  CloseReader();  // With something unread, of which the socket then knows nothing.

  writer.join();
  paced.WaitUntilTaken();
  EXPECT_TRUE(paced.is_reader_gone());
  EXPECT_EQ(taken_, 1U);
}

TEST_F(PacedOutputTest, WhenTheUserWantsAnEndASlowReaderHasItsTime) {
  PacedOutput& paced = Open(MakePipe());
  std::thread writer([this] { Print("first\n"); });
  interruption_.Raise();
  writer.join();

  paced.WaitUntilTaken();

  EXPECT_EQ(taken_, 0U);
  EXPECT_EQ(paced.untaken(), 1U);
}

TEST_F(PacedOutputTest, AFullDiskEndsItAndOnlyWhatIsWrittenIsTaken) {
  Open({.reader = -1, .writer = open("/dev/full", O_WRONLY)});

  Print("first\n");
  paced_->WaitUntilTaken();

  EXPECT_TRUE(paced_->is_broken());
  EXPECT_FALSE(paced_->is_reader_gone());
  EXPECT_EQ(taken_, 0U);
}

}  // namespace
}  // namespace wharf::tool
