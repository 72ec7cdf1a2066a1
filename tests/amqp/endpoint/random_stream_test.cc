// Streams by chance: frames in any order, some of them spoiled, are answered or refused.
// WHARF_AMQP_ROUNDS and WHARF_SEED make it longer or begin it elsewhere; amqp_stream_fuzz goes on.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/amqp/codec/random_value.h"
#include "tests/amqp/endpoint/any_stream.h"
#include "tests/amqp/endpoint/sample_frames.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

TEST(RandomStreamTest, WhateverComesIsAnsweredOrRefused) {
  const std::vector<std::string> frames = SampleFrames();
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_AMQP_ROUNDS", 5000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Generator random(seed);
    std::string stream(1, static_cast<char>(random() | (random() % 8 != 0 ? 4 : 0)));
    if (random() % 8 != 0) stream[0] = static_cast<char>(stream[0] & ~1);
    for (std::uint64_t i = random() % 30; i > 0; --i) {
      std::string frame = frames[random() % frames.size()];
      if (random() % 10 == 0) Spoil(frame, random);
      // Fields of one byte are handles, numbers, credits, flags: other ones of them.
      if (frame.size() > 8 && random() % 3 == 0)
        frame[8 + random() % (frame.size() - 8)] = static_cast<char>(random() % 4);
      stream += frame;
    }
    TryAnyStream(stream);
  }
}

}  // namespace
}  // namespace wharf::amqp
