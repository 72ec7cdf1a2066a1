#include "broker/doors/http/servicebus/http_counts.h"

#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Told = std::tuple<std::string, std::string, std::uint64_t>;

std::vector<Told> Told16(const HttpCounts& counts) {
  std::vector<Told> told;
  for (const auto& each : counts.ReadAll(
           HttpCounts::kKindsMax, [](std::size_t kind) { return "kind" + std::to_string(kind); })) {
    told.emplace_back(each.kind, each.status, each.count);
  }
  return told;
}

TEST(HttpCountsTest, EachKindAndStatusIsCountedByItself) {
  HttpCounts counts;

  counts.Note(0, 200);
  counts.Note(0, 204);
  counts.Note(0, 204);
  counts.Note(0, 231);
  counts.Note(0, 300);
  counts.Note(0, 400);
  counts.Note(15, 403);
  counts.Note(15, 531);

  EXPECT_THAT(Told16(counts),
              ElementsAre(Told("kind0", "200", 1), Told("kind0", "204", 2), Told("kind0", "231", 1),
                          Told("kind0", "300", 1), Told("kind0", "400", 1),
                          Told("kind15", "403", 1), Told("kind15", "531", 1)));
}

TEST(HttpCountsTest, WhatNoDoorAnswersIsNotCounted) {
  HttpCounts counts;

  for (const unsigned status : {0U, 101U, 199U, 232U, 299U, 432U, 532U, 600U, 1000U}) {
    counts.Note(0, status);
    EXPECT_EQ(counts.Read(0, status), 0U) << status;
  }

  EXPECT_THAT(Told16(counts), IsEmpty());
}

}  // namespace
}  // namespace wharf
