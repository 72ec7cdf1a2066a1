// A body is looked at piece by piece, wherever its message stands.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/engine_harness.h"

namespace wharf {
namespace {

class PeekBodyTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kPiece = 100000;

  PeekBodyTest() { EXPECT_TRUE(engine_.CreateQueue({.name = "orders"}).ok()); }

  static std::string BodyOf(std::size_t size) {
    std::string body(size, '\0');
    for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>(i * 7 + i / 1000);
    return body;
  }
  std::uint64_t Send(std::string body) { return engine_.Send("orders", std::move(body))->value(); }
  Result<BodyPiece> Piece(std::uint64_t number, std::uint64_t from,
                          const std::string& path = "orders") {
    return engine_.Await<BodyPiece>([&](Answer<BodyPiece> answer) {
      engine_.broker().requests().Ask(
          {}, PeekBodyRequest{{path}, SequenceNumber(number), from, kPiece}, std::move(answer));
    });
  }
  // All pieces, which are so many.
  std::string Whole(std::uint64_t number, const std::string& path = "orders") {
    std::string body;
    for (;;) {
      const auto piece = Piece(number, body.size(), path);
      EXPECT_TRUE(piece.ok()) << piece.status().ToString();
      if (!piece.ok()) return body;
      EXPECT_LE(piece->data.size(), kPiece);
      body += piece->data;
      if (body.size() == piece->size) return body;
    }
  }

  EngineHarness engine_;
};

TEST_F(PeekBodyTest, PiecesMakeTheBody) {
  for (const std::size_t size : {0U, 1U, 4096U, 4097U, 262144U, 262145U, 1000000U}) {
    const std::uint64_t number = Send(BodyOf(size));
    EXPECT_TRUE(Whole(number) == BodyOf(size)) << size;
  }
}

TEST_F(PeekBodyTest, OfEveryState) {
  const std::string body = BodyOf(300000);
  const std::uint64_t number = Send(body);
  const auto received = engine_.Receive("orders");
  EXPECT_TRUE(Whole(number) == body);
  ASSERT_TRUE(engine_.DeadLetter("orders", received->front().token).ok());
  EXPECT_TRUE(Whole(number, "orders/$DeadLetterQueue") == body);

  Message later;
  later.body = body;
  later.scheduled_enqueue_time = engine_.clock().Now() + std::chrono::hours(1);
  const auto scheduled = engine_.Send("orders", std::vector<Message>{later});
  EXPECT_TRUE(Whole(scheduled->front()->number.value()) == body);
}

TEST_F(PeekBodyTest, WhatIsNotThereIsSaid) {
  const std::uint64_t number = Send("short");

  EXPECT_EQ(Piece(number + 1, 0).status().code(), ErrorCode::kMessageNotFound);
  EXPECT_EQ(Piece(number, 6).status().code(), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(Piece(number, 5)->data, "");
  EXPECT_EQ(Piece(number, 0, "none").status().code(), ErrorCode::kMessagingEntityNotFound);
}

}  // namespace
}  // namespace wharf
