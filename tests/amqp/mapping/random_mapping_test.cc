// Messages by chance, as senders write them that choose their encodings by chance: each becomes the
// broker's, and leaves as it came. WHARF_AMQP_ROUNDS and WHARF_SEED make it longer or begin it
// elsewhere.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/mapping/incoming.h"
#include "broker/doors/amqp/mapping/section_bytes.h"
#include "broker/doors/amqp/types/composites.h"
#include "tests/amqp/codec/random_value.h"
#include "tests/amqp/mapping/any_mapping_bytes.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

class Sender {
 public:
  explicit Sender(Generator& random) : random_(random) {}

  std::string Message() {
    std::string message;
    if (Maybe()) message += Map(descriptor::kMessageAnnotations, 0xa3);
    if (Maybe()) message += Properties();
    if (Maybe()) message += Map(descriptor::kApplicationProperties, 0xa1);
    message += Body();
    if (Maybe()) message += Map(descriptor::kFooter, 0xa3);
    return message;
  }

 private:
  bool Maybe() { return random_() % 2 == 0; }

  // 0: the shortest; else the long one, and for lists sometimes that of one byte.
  AmqpForm::Section Form(std::uint64_t descriptor, std::uint8_t long_code) {
    AmqpForm::Section form;
    if (Maybe()) form.code = long_code;
    if (random_() % 4 == 0) {
      form.descriptor =
          std::string("\0\x80", 2) + std::string(7, '\0') + static_cast<char>(descriptor);
    }
    return form;
  }

  // Text behind a code of one byte, or its long sister.
  std::string Text(std::uint8_t code8) {
    std::string text(random_() % 30 == 0 ? 300 : random_() % 6, 'a' + random_() % 26);
    text.append(std::to_string(random_()));
    const bool is_long = text.size() > 255 || Maybe();
    std::string out(1, static_cast<char>(is_long ? code8 + 0x10 : code8));
    for (int shift = is_long ? 24 : 0; shift >= 0; shift -= 8) {
      out += static_cast<char>(static_cast<std::uint8_t>(text.size() >> shift));
    }
    return out + text;
  }

  std::string Map(std::uint64_t descriptor, std::uint8_t key_code) {
    std::string entries;
    const auto count = static_cast<std::uint32_t>(random_() % 5);
    for (std::uint32_t i = 0; i < count; ++i) {
      entries += Text(key_code) + Encoded(RandomValue(random_, 2));
    }
    return Whole(descriptor, SectionKind::kMap, entries, 2 * count);
  }

  std::string Whole(std::uint64_t descriptor, SectionKind kind, std::string_view contents,
                    std::uint32_t count) {
    std::string section;
    const std::uint8_t long_code = kind == SectionKind::kMap ? 0xd1 : 0xd0;
    const AmqpForm::Section form = Form(descriptor, long_code);
    WriteHead(section, descriptor, form, kind, contents.size(), count);
    return section.append(contents);
  }

  std::string Id() {
    switch (random_() % 4) {
      case 0:
        return Text(0xa1);
      case 1:
        return Text(0xa0);
      case 2:
        return Encoded(RandomValueOf(Type::kUuid, random_, 0));
      default:
        return Encoded(RandomValueOf(Type::kUlong, random_, 0));
    }
  }

  std::string Field(std::uint32_t place) {
    if (random_() % 3 == 0) return "\x40";
    switch (static_cast<AmqpField>(place)) {
      case AmqpField::kMessageId:
      case AmqpField::kCorrelationId:
        return Id();
      case AmqpField::kUserId:
        return Text(0xa0);
      case AmqpField::kContentType:
      case AmqpField::kContentEncoding:
        return Text(0xa3);
      case AmqpField::kAbsoluteExpiryTime:
      case AmqpField::kCreationTime:
        return Encoded(RandomValueOf(Type::kTimestamp, random_, 0));
      case AmqpField::kGroupSequence:
        return Encoded(RandomValueOf(Type::kUint, random_, 0));
      default:
        return Text(0xa1);
    }
  }

  std::string Properties() {
    std::string fields;
    const auto count = static_cast<std::uint32_t>(random_() % 14);
    for (std::uint32_t place = 0; place < count; ++place) fields += Field(place);
    return Whole(descriptor::kProperties, SectionKind::kList, fields, count);
  }

  std::string Body() {
    std::string body;
    switch (random_() % 4) {
      case 0:
        Writer(body).BeginDescribed(descriptor::kAmqpValue);
        return body + Encoded(RandomValue(random_));
      case 1:
        for (std::uint64_t i = 1 + random_() % 2; i > 0; --i) {
          body += Whole(descriptor::kAmqpSequence, SectionKind::kList,
                        Encoded(RandomValue(random_)), 1);
        }
        return body;
      default:
        for (std::uint64_t i = 1 + random_() % 2; i > 0; --i) {
          Writer(body).BeginDescribed(descriptor::kData);
          body += Text(0xa0);
        }
        return body;
    }
  }

  Generator& random_;
};

TEST(RandomMappingTest, WhateverIsSentLeavesAsItCame) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_AMQP_ROUNDS", 10000);
  std::uint64_t taken = 0;
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Generator random(seed);
    const std::string message = Sender(random).Message();
    const Result<Sections> sections = SplitSections(message, DecodeLimits());
    ASSERT_TRUE(sections.ok()) << sections.status().message();
    if (MessageOf(*sections, DecodeLimits()).ok()) ++taken;
    TryAnyMapping(*sections);
  }
  EXPECT_EQ(taken, rounds);
}

}  // namespace
}  // namespace wharf::amqp
