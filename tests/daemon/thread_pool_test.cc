// The threads of a pool say what they are, and those for what nobody waits for rank low.

#include "broker/daemon/process/thread_pool.h"

#include <cstdint>
#include <functional>
#include <future>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <pthread.h>
#include <rocksdb/listener.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "storage/base/this_thread.h"
#include "storage/rocks/low_compactions.h"

namespace wharf {
namespace {

struct Known {
  std::string name;
  int nice = 0;
  std::uint64_t slice_nanos = 0;
};

int NiceOfThisThread() { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); }

// Zero where Linux has none for each thread.
std::uint64_t SliceOfThisThread() {
  std::uint64_t attributes[6] = {};  // sched_setattr(2): the fourth eight bytes are the runtime.
  ::syscall(SYS_sched_getattr, 0, attributes, sizeof(attributes), 0);
  return attributes[3];
}

Known ThisThread() {
  char name[16] = {};
  ::pthread_getname_np(::pthread_self(), name, sizeof(name));
  return {name, NiceOfThisThread(), SliceOfThisThread()};
}

Known On(ThreadPool& pool) {
  std::promise<Known> known;
  pool.Post([&known] { known.set_value(ThisThread()); });
  return known.get_future().get();
}

// On a thread that ends with it: a rank is for good.
int NiceBehind(const std::function<void()>& work) {
  int nice = -1;
  std::thread([&] {
    work();
    nice = NiceOfThisThread();
  }).join();
  return nice;
}

class ThreadPoolTest : public ::testing::Test {
 protected:
  const int ours_ = NiceOfThisThread();
};

TEST_F(ThreadPoolTest, ItsThreadsSayWhatTheyAre) {
  ThreadPool readers("wharf:read", 1);
  ThreadPool lazy("wharf:upkeep", 1, ThreadPool::Rank::kLow);

  EXPECT_EQ(On(readers).name, "wharf:read");
  EXPECT_EQ(On(lazy).name, "wharf:upkeep");
}

TEST_F(ThreadPoolTest, WhatNobodyWaitsForRanksLow) {
  ThreadPool readers("wharf:read", 1);
  ThreadPool lazy("wharf:upkeep", 1, ThreadPool::Rank::kLow);

  EXPECT_EQ(On(readers).nice, ours_);
  EXPECT_GT(On(lazy).nice, ours_);
  EXPECT_EQ(NiceOfThisThread(), ours_);
}

TEST_F(ThreadPoolTest, WhoWakesUpDoesNotWaitLongForWhatRanksLow) {
  ThreadPool readers("wharf:read", 1);
  ThreadPool lazy("wharf:upkeep", 1, ThreadPool::Rank::kLow);

  const std::uint64_t usual = On(readers).slice_nanos;
  const std::uint64_t low = On(lazy).slice_nanos;

  EXPECT_TRUE(usual == 0 || low < usual / 4) << low << " of " << usual;
  EXPECT_EQ(SliceOfThisThread(), usual);
}

TEST_F(ThreadPoolTest, NobodyRanksHigherByIt) {
  EXPECT_EQ(NiceBehind([] {
              ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 15);
              RankThisThreadLow();
            }),
            15);
}

// Who started the daemon chose it.
TEST_F(ThreadPoolTest, ThePolicyOfTheDaemonIsKept) {
  int policy = -1;
  std::thread([&policy] {
    const sched_param parameters{};
    ASSERT_EQ(::sched_setscheduler(0, SCHED_BATCH, &parameters), 0);
    RankThisThreadLow();
    policy = ::sched_getscheduler(0);
  }).join();

  EXPECT_EQ(policy, SCHED_BATCH);
}

// All of them at a time, or this never ends.
TEST_F(ThreadPoolTest, ItHasSoManyThreads) {
  ThreadPool pool("wharf:read", 3);
  std::promise<void> all;
  const std::shared_future<void> there = all.get_future().share();
  std::promise<std::thread::id> ids[3];
  for (auto& id : ids) {
    pool.Post([&id, there] {
      id.set_value(std::this_thread::get_id());
      there.wait();
    });
  }
  std::set<std::thread::id> threads;
  for (auto& id : ids) threads.insert(id.get_future().get());
  all.set_value();

  EXPECT_EQ(threads.size(), 3U);
}

TEST_F(ThreadPoolTest, BehindAStopNothingIsRun) {
  bool has_run = false;
  ThreadPool pool("wharf:read", 1);
  pool.Stop();
  pool.Post([&] { has_run = true; });
  pool.Stop();

  EXPECT_FALSE(has_run);
}

TEST_F(ThreadPoolTest, CompactionsThatRocksBeginsByItselfRankLow) {
  const auto compact = [](rocksdb::CompactionReason reason) {
    return [reason] {
      rocksdb::CompactionJobInfo job;
      job.compaction_reason = reason;
      LowCompactions().OnCompactionBegin(nullptr, job);
    };
  };

  EXPECT_GT(NiceBehind(compact(rocksdb::CompactionReason::kBottommostFiles)), ours_);
  EXPECT_EQ(NiceBehind(compact(rocksdb::CompactionReason::kUnknown)), ours_);
}

}  // namespace
}  // namespace wharf
