// Messages by chance, some of them spoiled: split and rewritten, or refused. WHARF_AMQP_ROUNDS and
// WHARF_SEED make it longer or begin it elsewhere; amqp_value_fuzz goes on.
#include <string>

#include <gtest/gtest.h>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/types/composites.h"
#include "tests/amqp/codec/random_value.h"
#include "tests/amqp/message/any_message_bytes.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

std::string RandomSection(std::uint64_t descriptor, Type type, Generator& random) {
  std::string section;
  Writer writer(section);
  writer.BeginDescribed(descriptor);
  writer.Write(RandomValueOf(type, random, 3));
  return section;
}

std::string RandomMessage(Generator& random) {
  std::string message;
  const auto maybe = [&](std::uint64_t descriptor, Type type) {
    if (random() % 2 == 0) message += RandomSection(descriptor, type, random);
  };
  maybe(descriptor::kHeader, Type::kList);
  maybe(descriptor::kDeliveryAnnotations, Type::kMap);
  maybe(descriptor::kMessageAnnotations, Type::kMap);
  maybe(descriptor::kProperties, Type::kList);
  maybe(descriptor::kApplicationProperties, Type::kMap);
  const bool begins_with_footer = random() % 8 == 0;
  if (begins_with_footer) maybe(descriptor::kFooter, Type::kMap);
  for (std::uint64_t i = 1 + random() % 3; i > 0; --i) {
    message += RandomSection(descriptor::kData, Type::kBinary, random);
  }
  if (!begins_with_footer) maybe(descriptor::kFooter, Type::kMap);
  return message;
}

TEST(RandomMessageTest, WhateverComesIsAMessageOrAnError) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_AMQP_ROUNDS", 10000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Generator random(seed);
    std::string message = RandomMessage(random);
    TryAnyMessageBytes(message);
    Spoil(message, random);
    TryAnyMessageBytes(message);
  }
}

}  // namespace
}  // namespace wharf::amqp
