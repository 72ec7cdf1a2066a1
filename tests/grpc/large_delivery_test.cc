// A large body on its way out: what is read, and what is sent.

#include "broker/doors/grpc/streams/large_delivery.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr std::size_t kChunk = 256 * 1024;

Delivered LargeMessage(std::uint64_t body_bytes) {
  auto message = std::make_shared<StoredMessage>();
  message->number = SequenceNumber(7);
  message->facts.size = static_cast<std::int64_t>(body_bytes);
  message->facts.body_ref = BodyRef{EntityId(1), SequenceNumber(7), body_bytes};
  return {std::move(message), {}, LockToken(1, 2), Timestamp(std::chrono::seconds(30))};
}

TEST(LargeDeliveryTest, GoesOutAsAHeaderAndChunksInOrder) {
  LargeDelivery delivery(LargeMessage(4 * kChunk + 1));
  const v1::ReceiveStreamResponse header = delivery.TakeResponse();
  EXPECT_EQ(header.header().message().sequence_number(), 7);
  EXPECT_EQ(header.header().message().message().body(), "");
  EXPECT_EQ(header.header().message().lock_token(), LockToken(1, 2).ToBytes());
  EXPECT_EQ(header.header().body_size(), static_cast<std::int64_t>(4 * kChunk + 1));

  for (std::uint32_t chunk = 0; chunk <= 4; ++chunk) {
    EXPECT_FALSE(delivery.is_ready());
    EXPECT_FALSE(delivery.is_done());
    ASSERT_EQ(delivery.NextRead(), chunk);
    const std::string bytes(chunk == 4 ? 1 : kChunk, static_cast<char>('a' + chunk));
    delivery.Add(bytes);
    ASSERT_TRUE(delivery.is_ready());
    EXPECT_EQ(delivery.TakeResponse().chunk().data(), bytes);
  }
  EXPECT_TRUE(delivery.is_done());
  EXPECT_EQ(delivery.NextRead(), std::nullopt);
}

TEST(LargeDeliveryTest, ReadsOneChunkAtATimeAndAFewAhead) {  // reliability 6
  LargeDelivery delivery(LargeMessage(100 * kChunk));
  std::uint32_t ahead = 0;
  while (delivery.NextRead()) {
    EXPECT_EQ(delivery.NextRead(), std::nullopt);
    delivery.Add(std::string(kChunk, 'x'));
    ++ahead;
  }
  EXPECT_EQ(ahead, 2U);

  delivery.TakeResponse();  // The header.
  EXPECT_EQ(delivery.NextRead(), std::nullopt);
  delivery.TakeResponse();
  EXPECT_EQ(delivery.NextRead(), 2U);
}

}  // namespace
}  // namespace wharf
