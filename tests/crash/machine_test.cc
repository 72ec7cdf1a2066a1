// The library that a daemon is started with is opened by this process, and asked directly.

#include "tools/crash/machine/machine.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf::crash {
namespace {

namespace fs = std::filesystem;

// One for all tests: the library looks once where its board is.
class SharedMachine {
 public:
  SharedMachine() {
    std::string folder = (fs::temp_directory_path() / "wharf-machine-XXXXXX").string();
    folder_ = mkdtemp(folder.data());
    machine_.emplace(*Machine::Make(folder_));
    for (const std::string& word : machine_->environment()) {
      const std::size_t end = word.find('=');
      if (word.starts_with("LD_PRELOAD=")) {
        library_ = dlopen(word.c_str() + end + 1, RTLD_NOW | RTLD_LOCAL);
      } else {
        setenv(word.substr(0, end).c_str(), word.c_str() + end + 1, 1);
      }
    }
  }
  ~SharedMachine() { fs::remove_all(folder_); }

  Machine& machine() { return *machine_; }
  const std::string& folder() const { return folder_; }
  template <typename Function>
  Function Find(const char* name) const {
    return reinterpret_cast<Function>(library_ == nullptr ? nullptr : dlsym(library_, name));
  }

 private:
  std::string folder_;
  std::optional<Machine> machine_;
  void* library_ = nullptr;
};

class MachineTest : public ::testing::Test {
 protected:
  MachineTest() { fs::create_directories(data()); }
  ~MachineTest() override {
    machine().Mend();
    fs::remove_all(data());
  }

  static SharedMachine& shared() {
    static SharedMachine shared;
    return shared;
  }
  static Machine& machine() { return shared().machine(); }
  static std::string data() { return shared().folder() + "/data"; }

  // As the daemon does these.
  static int Make(const std::string& name) {
    static const auto open = shared().Find<int (*)(const char*, int, ...)>("open");
    return open((data() + "/" + name).c_str(), O_WRONLY | O_CREAT, 0600);
  }
  static bool Write(int file, std::string_view text) {
    static const auto write = shared().Find<ssize_t (*)(int, const void*, size_t)>("write");
    return write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  static bool WriteAt(int file, std::string_view text, off_t begin) {
    static const auto write = shared().Find<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
    return write(file, text.data(), text.size(), begin) == static_cast<ssize_t>(text.size());
  }
  static bool Sync(int file) {
    static const auto sync = shared().Find<int (*)(int)>("fdatasync");
    return sync(file) == 0;
  }
  static std::string ContentOf(const std::string& name) {
    std::ifstream file(data() + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(MachineTest, APowerCutLeavesWhatWasSynced) {
  const int log = Make("log");
  ASSERT_TRUE(Write(log, "kept") && Sync(log) && Write(log, "lost"));
  const int never_synced = Make("never");
  ASSERT_TRUE(Write(never_synced, "lost"));

  ASSERT_TRUE(machine().CutPower(data()).ok());

  EXPECT_EQ(ContentOf("log"), "kept");
  EXPECT_EQ(ContentOf("never"), "");
  close(log);
  close(never_synced);
}

TEST_F(MachineTest, WhatWasCutOffByTheDaemonIsNotTakenForSynced) {
  static const auto cut_off = shared().Find<int (*)(int, off_t)>("ftruncate");
  const int log = Make("log");
  ASSERT_TRUE(Write(log, "kept and taken back") && Sync(log));
  ASSERT_EQ(cut_off(log, 4), 0);
  ASSERT_EQ(lseek(log, 0, SEEK_END), 4);
  ASSERT_TRUE(Write(log, "lost"));

  ASSERT_TRUE(machine().CutPower(data()).ok());

  EXPECT_EQ(ContentOf("log"), "kept");
  close(log);
}

TEST_F(MachineTest, APowerCutKnowsAFileByAnotherNameToo) {
  const int log = Make("log");
  ASSERT_TRUE(Write(log, "kept") && Sync(log) && Write(log, "lost"));
  fs::rename(data() + "/log", data() + "/renamed");

  ASSERT_TRUE(machine().CutPower(data()).ok());

  EXPECT_EQ(ContentOf("renamed"), "kept");
  close(log);
}

TEST_F(MachineTest, WhatWasWrittenOverAndNotSyncedIsTakenBack) {
  const int log = Make("log");
  ASSERT_TRUE(Write(log, "older") && Sync(log));
  ASSERT_TRUE(WriteAt(log, "newer", 0) && Sync(log));
  ASSERT_TRUE(WriteAt(log, "lost", 1));
  ASSERT_TRUE(WriteAt(log, "gone and longer", 0));

  ASSERT_TRUE(machine().CutPower(data()).ok());

  EXPECT_EQ(ContentOf("log"), "newer");
  close(log);
}

// A kill in the midst of keeping what stood there: the write had not begun.
TEST_F(MachineTest, OldBytesThatAreNotWholeAreNotWrittenBack) {
  const int log = Make("log");
  ASSERT_TRUE(Write(log, "older") && Sync(log) && WriteAt(log, "newer", 0));
  struct stat status = {};
  ASSERT_EQ(fstat(log, &status), 0);
  const std::string kept =
      fmt::format("{}/{}/{}{}", shared().folder(), kSyncedFolder, status.st_ino, kOldBytesEnding);
  fs::resize_file(kept, fs::file_size(kept) - 1);

  ASSERT_TRUE(machine().CutPower(data()).ok());

  EXPECT_EQ(ContentOf("log"), "newer");
  close(log);
}

TEST_F(MachineTest, WhatWasWrittenOverAndSyncedIsKept) {
  const int log = Make("log");
  ASSERT_TRUE(Write(log, "older") && Sync(log) && WriteAt(log, "OLD", 0) && Sync(log));

  ASSERT_TRUE(machine().CutPower(data()).ok());

  EXPECT_EQ(ContentOf("log"), "OLDer");
  close(log);
}

TEST_F(MachineTest, AFullDiskTakesWhatHasItsPlace) {
  const int log = Make("log");
  ASSERT_TRUE(Write(log, "1234"));
  machine().FillDisk();

  EXPECT_FALSE(Write(log, "5"));
  EXPECT_EQ(errno, ENOSPC);
  ASSERT_EQ(lseek(log, 0, SEEK_SET), 0);
  EXPECT_TRUE(Write(log, "5"));
  EXPECT_TRUE(Sync(log));

  machine().Mend();
  ASSERT_EQ(lseek(log, 0, SEEK_END), 4);
  EXPECT_TRUE(Write(log, "6"));
  EXPECT_EQ(ContentOf("log"), "52346");
  close(log);
}

TEST_F(MachineTest, ABrokenDiskSyncsNothing) {
  const int log = Make("log");
  ASSERT_TRUE(Write(log, "lost"));
  machine().BreakDisk();

  EXPECT_FALSE(Sync(log));
  EXPECT_EQ(errno, EIO);

  machine().Mend();
  ASSERT_TRUE(machine().CutPower(data()).ok());
  EXPECT_EQ(ContentOf("log"), "");
  close(log);
}

TEST_F(MachineTest, AHeldDiskAnswersWhenItIsMended) {
  const int log = Make("log");
  machine().HoldDisk();

  auto synced = std::async(std::launch::async, [log] { return Sync(log); });
  EXPECT_EQ(synced.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);

  machine().Mend();
  EXPECT_TRUE(synced.get());
  close(log);
}

TEST_F(MachineTest, ASlowDiskTakesItsTime) {
  const int log = Make("log");
  machine().SlowDisk(std::chrono::milliseconds(30));

  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(Sync(log));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));

  machine().SlowDisk(std::chrono::hours(1));
  auto synced = std::async(std::launch::async, [log] { return Sync(log); });
  EXPECT_EQ(synced.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  machine().Mend();
  EXPECT_TRUE(synced.get());
  close(log);
}

TEST_F(MachineTest, ItsClockIsAheadOfThatOfOthers) {
  using Wall = std::chrono::system_clock;
  static const auto now =
      shared().Find<Wall::time_point (*)()>("_ZNSt6chrono3_V212system_clock3nowEv");
  machine().SetClockAhead(std::chrono::hours(-1));

  const auto before = Wall::now();
  const auto there = now();
  const auto after = Wall::now();

  EXPECT_LE(before - std::chrono::hours(1), there);
  EXPECT_LE(there, after - std::chrono::hours(1) + std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace wharf::crash
