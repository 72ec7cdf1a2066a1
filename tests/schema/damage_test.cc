// Records that were cut, changed or never written: decoding them is always a value or an error.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "storage/base/random.h"
#include "tests/schema/sample_records.h"

namespace wharf {
namespace {

constexpr SequenceNumber kNumber{9};

// A kind of record: one with every field set, and whether some bytes can be read as one.
struct Kind {
  const char* name;
  std::string sample;
  std::function<Status(std::string_view)> decode;
  // Behind this every byte is body, which has no form.
  std::size_t body_at = SIZE_MAX;
  // That one has another version, too, whose fields are the same.
  char other_version = '\0';
};

std::vector<Kind> Kinds() {
  const StoredMessage message = SampleStoredMessage();
  const Lock lock = SampleLock();
  const std::string record = EncodeMessage(message);
  return {
      {"Message", record, [](auto bytes) { return DecodeMessage(kNumber, bytes).status(); },
       record.size() - message.message.body.size(), 2},
      {"Entity", EncodeEntity(SampleEntity()),
       [](auto bytes) { return DecodeEntity(bytes).status(); }},
      {"Counters", EncodeCounters(SampleCounters()),
       [](auto bytes) { return DecodeCounters(bytes).status(); }},
      {"Locked", EncodeLocked({kSampleToken, lock}),
       [](auto bytes) { return DecodeLocked(kNumber, bytes).status(); }},
      {"Returned", EncodeReturned(lock.delivery, lock.facts),
       [](auto bytes) { return DecodeReturned(kNumber, bytes).status(); }},
      {"Delayed", EncodeDelayed(lock.delivery, lock.facts, lock.until),
       [](auto bytes) { return DecodeDelayed(kNumber, bytes).status(); }},
      {"Quarantined", EncodeQuarantined(lock.delivery, lock.facts, {lock.until, {}, "a reason"}),
       [](auto bytes) { return DecodeQuarantined(kNumber, bytes).status(); }},
      {"Job", EncodeJob(SampleJob()),
       [](auto bytes) { return DecodeJob(JobId(7), bytes).status(); }},
      {"Span", EncodeSpan(SampleSpan()),
       [](auto bytes) { return DecodeSpan(SampleSpan().first, bytes).status(); }},
      {"SharedHint", EncodeSharedHint({{}, kNumber, lock.until, After(lock.until, Duration(1000))}),
       [](auto bytes) {
         const DueHint row{Timestamp(), DueKind::kExpireShared, {}, kNumber};
         return DecodeSharedHint(row, bytes).status();
       }},
      {"Duplicate", EncodeDuplicate({kNumber, lock.until, true}),
       [](auto bytes) { return DecodeDuplicate(bytes).status(); }},
      {"LooseBody", EncodeLooseBody(*lock.facts.body_ref),
       [](auto bytes) { return DecodeLooseBody(bytes).status(); }},
      {"Transaction", EncodeTransaction(SampleTransaction()),
       [](auto bytes) { return DecodeTransaction("tx", bytes).status(); }},
      {"Meta", EncodeMeta(77), [](auto bytes) { return DecodeMeta("format", bytes).status(); }},
  };
}

class DamageTest : public ::testing::TestWithParam<Kind> {
 protected:
  Status Decode(std::string_view bytes) { return GetParam().decode(bytes); }
  const std::string& sample() { return GetParam().sample; }
  // The sample with another byte.
  std::string With(std::size_t place, char byte) {
    std::string bytes = sample();
    bytes[place] = byte;
    return bytes;
  }
};

TEST_P(DamageTest, TheSampleIsWhole) { EXPECT_TRUE(Decode(sample()).ok()); }

TEST_P(DamageTest, WhatIsCutIsAnError) {
  for (std::size_t size = 0; size < std::min(sample().size(), GetParam().body_at); ++size) {
    EXPECT_EQ(Decode(sample().substr(0, size)).code(), ErrorCode::kGeneralError) << size;
  }
}

TEST_P(DamageTest, WhatIsTooLongIsAnError) {
  if (GetParam().body_at != SIZE_MAX) return;
  EXPECT_EQ(Decode(sample() + '\0').code(), ErrorCode::kGeneralError);
}

TEST_P(DamageTest, AnotherVersionIsAnError) {
  for (int version = 0; version < 256; ++version) {
    const char byte = static_cast<char>(version);
    if (byte == sample()[0] || (byte != 0 && byte == GetParam().other_version)) continue;
    EXPECT_FALSE(Decode(With(0, static_cast<char>(version))).ok()) << version;
  }
}

TEST_P(DamageTest, AFlippedBitIsAValueOrAnError) {
  for (std::size_t place = 0; place < sample().size(); ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      static_cast<void>(Decode(With(place, static_cast<char>(sample()[place] ^ (1 << bit)))).ok());
    }
  }
}

TEST_P(DamageTest, AnyBytesAreAValueOrAnError) {
  constexpr int kRounds = 20000;
  SeededRandom random(4711);
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes(random.Next() % 120, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    // Most would fail at the version already.
    if (!bytes.empty() && round % 4 != 0) bytes[0] = sample()[0];
    static_cast<void>(Decode(bytes).ok());
  }
}

// Samples with some bytes changed get further than noise does.
TEST_P(DamageTest, AMangledRecordIsAValueOrAnError) {
  constexpr int kRounds = 20000;
  SeededRandom random(815);
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = sample();
    for (std::uint64_t i = 0; i <= random.Next() % 4; ++i) {
      bytes[random.Next() % bytes.size()] = static_cast<char>(random.Next());
    }
    if (random.Next() % 4 == 0) bytes.resize(random.Next() % bytes.size());
    static_cast<void>(Decode(bytes).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Records, DamageTest, ::testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return kind.param.name; });

// Writes a record by hand, field by field as in message_record.h.
std::string MessageWithBits(std::uint64_t bits, std::string_view fields) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(1);
  WriteTime(writer, Timestamp());
  writer.SignedVarint(0);
  WriteTime(writer, kNever);
  writer.Varint(bits);
  writer.Raw(fields);
  return record;
}

// Whether a message with this one field can be read, whatever the field's own form is. One that
// says that the message is in a session needs that session's field.
bool IsKnown(int bit) {
  const std::uint64_t field = std::uint64_t{1} << bit;
  constexpr std::uint64_t kSessionId = 1 << 7;
  for (std::size_t size = 0; size < 12; ++size) {
    const std::string zeros(size, '\0');
    if (DecodeMessage(kNumber, MessageWithBits(field, zeros)).ok()) return true;
    const std::string in_session = MessageWithBits(field | kSessionId, "\x01s" + zeros);
    if (DecodeMessage(kNumber, in_session).ok()) return true;
  }
  return false;
}

TEST(UnknownTest, AFieldOfANewerVersionMakesTheMessageUnreadable) {
  int known = 0;
  // These say nothing without another: the id of a session, a body.
  constexpr int kIsInSession = 26;
  constexpr int kBodyHandle = 27;
  while (known < 64 && (known == kIsInSession || known == kBodyHandle || IsKnown(known))) ++known;

  EXPECT_GE(known, 30);
  for (int bit = known; bit < 64; ++bit) EXPECT_FALSE(IsKnown(bit)) << bit;
}

TEST(UnknownTest, ABodyKindOfANewerVersionIsAnError) {
  StoredMessage stored;
  stored.message.body_kind = static_cast<BodyKind>(77);
  EXPECT_FALSE(DecodeMessage(kNumber, EncodeMessage(stored)).ok());
}

TEST(UnknownTest, AStatusOfANewerVersionIsAnError) {
  for (const int status : {2, 5, 99, 255}) {
    EntityRecord entity = SampleEntity();
    entity.description.status = static_cast<EntityStatus>(status);
    EXPECT_FALSE(DecodeEntity(EncodeEntity(entity)).ok()) << status;
  }
}

// Behind the version, kind, bucket, number, two times and the name stand the flags.
TEST(UnknownTest, AFlagOfANewerVersionIsAnError) {
  const auto entity_with = [](std::uint64_t flags) {
    const std::string sample = EncodeEntity(EntityRecord());
    std::string flags_before;
    ByteWriter(flags_before).Varint((1 << 3) | (1 << 5));  // Batched operations and ordering.
    std::string flags_after;
    ByteWriter(flags_after).Varint(flags);
    constexpr std::size_t kFlagsAt = 7;
    EXPECT_EQ(sample.substr(kFlagsAt, flags_before.size()), flags_before);
    return DecodeEntity(sample.substr(0, kFlagsAt) + flags_after +
                        sample.substr(kFlagsAt + flags_before.size()));
  };
  EXPECT_TRUE(entity_with(0).ok());
  for (const int bit : {20, 31, 32, 40, 63}) {
    EXPECT_FALSE(entity_with(std::uint64_t{1} << bit).ok()) << bit;
  }
}

// Behind the version, the verb and the empty path stand the flags.
TEST(UnknownTest, AConditionOfANewerVersionMakesAJobUnreadable) {
  std::string record = EncodeJob(JobRecord());
  constexpr std::size_t kFlagsAt = 3;
  ASSERT_TRUE(DecodeJob(JobId(), record).ok());

  for (const int flag : {16, 32, 64, 128}) {
    record[kFlagsAt] = static_cast<char>(flag);
    EXPECT_FALSE(DecodeJob(JobId(), record).ok()) << flag;
  }
}

TEST(UnknownTest, APropertyOfANewerTypeIsAnError) {
  StoredMessage stored;
  stored.message.application_properties = {{"name", std::monostate()}};
  std::string record = EncodeMessage(stored);
  ASSERT_TRUE(DecodeMessage(kNumber, record).ok());

  record.back() = static_cast<char>(std::variant_size_v<PropertyValue>);

  EXPECT_FALSE(DecodeMessage(kNumber, record).ok());
}

TEST(UnknownTest, ANegativeSizeIsAnError) {
  StoredMessage stored;
  stored.facts.size = -1;
  EXPECT_FALSE(DecodeMessage(kNumber, EncodeMessage(stored)).ok());
  EXPECT_FALSE(DecodeReturned(kNumber, EncodeReturned({}, stored.facts)).ok());
  Lock lock;
  lock.facts = stored.facts;
  EXPECT_FALSE(DecodeLocked(kNumber, EncodeLocked({kSampleToken, lock})).ok());
}

}  // namespace
}  // namespace wharf
