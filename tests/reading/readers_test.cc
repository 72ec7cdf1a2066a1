// What runs on which threads.

#include "broker/reading/readers.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "tests/harness/held_executor.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class ReadersTest : public ::testing::Test {
 protected:
  MemoryStore store_;
  HeldExecutor awaited_;
  HeldExecutor background_;
  const Readers readers_{store_, {awaited_, background_}};
};

TEST_F(ReadersTest, WhatSomebodyWaitsForDoesNotStandBehindTheOthers) {
  std::vector<std::string> read;
  readers_.Read(Urgency::kBackground, [&](const StoreView&) { read.emplace_back("lazy"); });
  readers_.Read(Urgency::kAwaited, [&](const StoreView&) { read.emplace_back("awaited"); });

  EXPECT_THAT(background_.works, SizeIs(1));
  awaited_.RunOne();
  EXPECT_THAT(read, ElementsAre("awaited"));
  background_.RunOne();
  EXPECT_THAT(read, ElementsAre("awaited", "lazy"));
}

}  // namespace
}  // namespace wharf
