// Chunks that fit their header, and those that do not.

#include "broker/doors/grpc/streams/chunk_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMax = ChunkSequence::kChunkBytesMax;

// What the last of them is told.
Status AddAll(ChunkSequence chunks, const std::vector<std::size_t>& sizes) {
  Status last;
  for (const std::size_t size : sizes) {
    EXPECT_TRUE(last.ok()) << last.message();
    last = chunks.Add(size);
  }
  return last;
}

TEST(ChunkSequenceTest, EqualChunksAndAShorterLastOneAreTheBody) {
  ChunkSequence chunks(2 * kMax + 1);
  for (const std::size_t size : {kMax, kMax, std::size_t{1}}) {
    EXPECT_FALSE(chunks.is_complete());
    EXPECT_TRUE(chunks.Add(size).ok());
  }
  EXPECT_TRUE(chunks.is_complete());
}

TEST(ChunkSequenceTest, AnEmptyBodyHasNoChunks) { EXPECT_TRUE(ChunkSequence(0).is_complete()); }

TEST(ChunkSequenceTest, WhatIsWrongIsNamed) {  // ERR-15
  const struct {
    std::vector<std::size_t> sizes;
    const char* sentence;
  } bad_sequences[] = {
      {{0}, "a chunk has 0 bytes; it must have from 1 to 262144"},
      {{kMax + 1}, "a chunk has 262145 bytes; it must have from 1 to 262144"},
      {{600, 401}, "the chunks have more bytes than the 1000 that body_size announced"},
      {{400, 300}, "a chunk has 300 bytes and the first one had 400; all must be equal but for"},
      {{300, 700}, "a chunk has 700 bytes and the first one had 300; all must be equal but for"},
  };
  for (const auto& bad : bad_sequences) {
    const std::uint64_t body_bytes = bad.sizes.front() > 1000 ? 10 * kMax : 1000;
    const Status status = AddAll(ChunkSequence(body_bytes), bad.sizes);
    EXPECT_EQ(status.code(), ErrorCode::kArgumentError);
    EXPECT_THAT(status.message(), HasSubstr(bad.sentence));
  }
}

TEST(ChunkSequenceTest, ABodyThatEndsTooSoonIsNamed) {
  ChunkSequence chunks(1000);
  ASSERT_TRUE(chunks.Add(400).ok());

  EXPECT_EQ(chunks.CutShort().code(), ErrorCode::kArgumentError);
  EXPECT_THAT(chunks.CutShort().message(), HasSubstr("after 400 of the 1000 bytes"));
}

}  // namespace
}  // namespace wharf
