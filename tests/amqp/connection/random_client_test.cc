// Clients by chance: frames in any order, some of them spoiled. WHARF_AMQP_ROUNDS and WHARF_SEED
// make it longer or begin it elsewhere; amqp_door_fuzz goes on.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/amqp/codec/random_value.h"
#include "tests/amqp/connection/any_client.h"
#include "tests/amqp/endpoint/sample_frames.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

TEST(RandomClientTest, WhateverComesIsAnsweredOrRefused) {
  std::vector<std::string> frames = SampleFrames();
  frames.push_back(SampleClaims());
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_AMQP_ROUNDS", 2000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Generator random(seed);
    std::string said(1, static_cast<char>(random() | (random() % 8 != 0 ? 1 : 0)));
    for (std::uint64_t i = random() % 30; i > 0; --i) {
      std::string frame = frames[random() % frames.size()];
      if (random() % 10 == 0) Spoil(frame, random);
      // Fields of one byte are handles, numbers, credits, flags: other ones of them.
      if (frame.size() > 8 && random() % 3 == 0)
        frame[8 + random() % (frame.size() - 8)] = static_cast<char>(random() % 4);
      said += frame;
    }
    TryAnyClient(said);
  }
}

}  // namespace
}  // namespace wharf::amqp
