// Values by chance: what is written is read again, and whatever is read is a value or an error.
// WHARF_AMQP_ROUNDS and WHARF_SEED make it longer or begin it elsewhere; amqp_fuzz goes on.
#include "tests/amqp/codec/random_value.h"

#include <string>

#include <gtest/gtest.h>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/codec/value_text.h"
#include "broker/doors/amqp/codec/writer.h"
#include "tests/amqp/codec/any_value_bytes.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

TEST(RandomValueTest, WhatIsWrittenIsReadAgain) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_AMQP_ROUNDS", 20000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Generator random(seed);
    const Value value = RandomValue(random);
    const std::string bytes = Encoded(value);

    Reader reader(bytes);
    Value read;
    reader.Read(read);
    ASSERT_EQ(reader.error(), "") << TextOf(value);
    ASSERT_EQ(read, value) << TextOf(value);
    ASSERT_EQ(Encoded(read), bytes);
    ASSERT_TRUE(reader.at_end());
    ASSERT_EQ(Reader(bytes).TakeEncoded(), bytes);
  }
}

TEST(RandomValueTest, WhateverComesIsAValueOrAnError) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_AMQP_ROUNDS", 20000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Generator random(seed);
    std::string bytes = Encoded(RandomValue(random));
    for (std::uint64_t i = 1 + random() % 4; i > 0; --i) Spoil(bytes, random);
    TryAnyValueBytes(bytes);
  }
}

}  // namespace
}  // namespace wharf::amqp
