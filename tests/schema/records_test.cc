#include "broker/schema/records.h"

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/changes/shared_hint_row.h"
#include "broker/schema/bytes.h"
#include "broker/schema/message_record.h"
#include "tests/schema/sample_records.h"

namespace wharf {
namespace {

TEST(RecordsTest, AMessageComesBackWithEveryField) {
  const StoredMessage message = SampleStoredMessage();

  const Result<StoredMessage> decoded = DecodeMessage(message.number, EncodeMessage(message));

  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(FirstDifference(decoded->message, message.message), "");
  EXPECT_EQ(decoded->number, message.number);
  EXPECT_EQ(decoded->enqueued_at, message.enqueued_at);
  EXPECT_EQ(decoded->enqueued_number, message.enqueued_number);
  EXPECT_EQ(decoded->dead_letter_source, message.dead_letter_source);
  EXPECT_EQ(decoded->hops, message.hops);
  EXPECT_EQ(decoded->facts.size, message.facts.size);
  EXPECT_EQ(decoded->facts.expires_at, message.facts.expires_at);
  EXPECT_EQ(decoded->facts.body_ref, std::nullopt);
}

// Of whatever message, it says the same as the whole.
TEST(RecordsTest, TheHeadOfAMessageIsReadWithoutTheRest) {
  std::vector<StoredMessage> messages(4, SampleStoredMessage());
  messages[1].facts.shares_hint = true;
  messages[2].facts.body_ref = BodyRef{EntityId(7), SequenceNumber(9), 5};
  messages[3].message.session_id = messages[3].facts.session_id = "a";
  messages.emplace_back();
  for (const StoredMessage& message : messages) {
    const std::string record = EncodeMessage(message);
    const StoredMessage whole = *DecodeMessage(SequenceNumber(1), record);
    const Result<MessageHead> head = DecodeMessageHead(SequenceNumber(1), record);
    ASSERT_TRUE(head.ok());
    EXPECT_EQ(head->enqueued_at, whole.enqueued_at);
    EXPECT_EQ(head->size, whole.facts.size);
    EXPECT_EQ(head->expires_at, whole.facts.expires_at);
    EXPECT_EQ(head->shares_hint, whole.facts.shares_hint);
    EXPECT_EQ(head->has_own_rows, whole.facts.body_ref.has_value());
    EXPECT_EQ(head->is_in_session, !whole.facts.session_id.empty());
  }
}

TEST(RecordsTest, AHeadThatIsDamagedOrNewerIsRefused) {
  const auto is_refused = [](std::string_view record) {
    return DecodeMessageHead(SequenceNumber(1), record).status().is_damage();
  };
  const std::string record = EncodeMessage(StoredMessage());
  EXPECT_FALSE(is_refused(record));
  // It ends with the bits of its fields, of which none is there.
  for (std::size_t size = 0; size < record.size(); ++size) {
    EXPECT_TRUE(is_refused(record.substr(0, size))) << size;
  }
  EXPECT_TRUE(is_refused("\x03" + record.substr(1)));

  StoredMessage negative;
  negative.facts.size = -1;
  EXPECT_TRUE(is_refused(EncodeMessage(negative)));

  std::string newer = record.substr(0, record.size() - 1);
  ByteWriter(newer).Varint(std::uint64_t{1} << 62);
  EXPECT_TRUE(is_refused(newer));
}

TEST(RecordsTest, AnEmptyMessageComesBackEmpty) {
  const Result<StoredMessage> decoded =
      DecodeMessage(SequenceNumber(1), EncodeMessage(StoredMessage()));

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(FirstDifference(decoded->message, Message()), "");
  EXPECT_EQ(decoded->message.carried, nullptr);
  EXPECT_EQ(decoded->facts.expires_at, kNever);
}

TEST(RecordsTest, EachFieldComesBackAlone) {
  const std::optional<std::string> Message::*texts[] = {&Message::message_id,
                                                        &Message::correlation_id,
                                                        &Message::content_type,
                                                        &Message::subject,
                                                        &Message::to,
                                                        &Message::reply_to,
                                                        &Message::reply_to_session_id,
                                                        &Message::session_id,
                                                        &Message::partition_key,
                                                        &Message::via_partition_key};
  for (const auto field : texts) {
    for (const auto* text : {"", "text"}) {  // Absent is not the same as empty.
      StoredMessage stored;
      const_cast<std::optional<std::string>&>(stored.message.*field) = text;
      const auto decoded = DecodeMessage(SequenceNumber(1), EncodeMessage(stored));
      ASSERT_TRUE(decoded.ok());
      EXPECT_EQ(FirstDifference(decoded->message, stored.message), "");
    }
  }
}

TEST(RecordsTest, EachTypeOfPropertyComesBack) {  // USR-2, USR-3, USR-4
  for (const auto& property : SampleProperties()) {
    StoredMessage stored;
    stored.message.application_properties = {property};
    const auto decoded = DecodeMessage(SequenceNumber(1), EncodeMessage(stored));
    ASSERT_TRUE(decoded.ok()) << property.first;
    EXPECT_EQ(decoded->message.application_properties, PropertyMap{property}) << property.first;
  }
}

TEST(RecordsTest, ABodyInRowsOfItsOwnIsNotInTheRecord) {
  StoredMessage stored = SampleStoredMessage();
  stored.facts.body_ref = BodyRef{EntityId(7), SequenceNumber(9), 5000};
  stored.message.body = std::string(5000, 'x');

  const std::string record = EncodeMessage(stored);
  const auto decoded = DecodeMessage(stored.number, record);

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->facts.body_ref, stored.facts.body_ref);
  EXPECT_EQ(decoded->message.body, "");
  EXPECT_EQ(record.find("xxxx"), std::string::npos);
}

TEST(RecordsTest, WhatIsCarriedAndAbsentIsAbsentAgain) {
  StoredMessage stored;
  CarriedProperties encoding;
  encoding.content_encoding = "gzip";
  stored.message.carried = std::make_shared<CarriedProperties>(encoding);
  const auto decoded = DecodeMessage(SequenceNumber(1), EncodeMessage(stored));

  ASSERT_TRUE(decoded.ok());
  const CarriedProperties& carried = *decoded->message.carried;
  EXPECT_EQ(carried.content_encoding, "gzip");
  EXPECT_EQ(carried.group_sequence, std::nullopt);
  EXPECT_EQ(carried.priority, std::nullopt);
  EXPECT_EQ(carried.durable, std::nullopt);
  EXPECT_EQ(carried.first_acquirer, std::nullopt);
}

// What stands on the disk, byte for byte: it must be read for ever. A ulong as message-id, written
// long, and its text nowhere else; a property that is a symbol, in a map that is written long.
TEST(RecordsTest, AFormIsWrittenLikeThis) {  // ENC-3
  using namespace std::string_literals;
  StoredMessage stored;
  stored.message.body = "b";
  stored.message.message_id = "5";
  stored.message.application_properties = {{"a", EncodedValue{"\xa3\x01s"}}};
  AmqpForm form;
  form.application_properties.code = 0xd1;
  form.fields = {{AmqpField::kMessageId, "\x80\0\0\0\0\0\0\0\x05"s}};
  stored.message.amqp_form = std::make_shared<const AmqpForm>(form);

  const std::string record = EncodeMessage(stored);

  const std::string never = "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  const std::string bits = "\x80\xa0\x80\x80\x04";
  const std::string properties =
      "\x01\x01"
      "a\x14\x03\xa3\x01s";
  const std::string in_form = "\x12\0\xd1\x01\0\x09\x80\0\0\0\0\0\0\0\x05"s;
  EXPECT_EQ(record, "\x01\0\0"s + never + bits + properties + in_form + "b");
  EXPECT_EQ(FirstDifference(DecodeMessage(SequenceNumber(1), record)->message, stored.message), "");
}

// After the action of a rule the sender's bytes say another thing, or nothing.
TEST(RecordsTest, WhatAFormSaysOfChangedFieldsIsNotKept) {
  StoredMessage stored;
  stored.message = SampleMessage();
  stored.message.message_id = "another";
  stored.message.correlation_id.reset();

  const auto decoded = DecodeMessage(SequenceNumber(1), EncodeMessage(stored));

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->message.message_id, "another");
  EXPECT_EQ(decoded->message.correlation_id, std::nullopt);
  const AmqpForm& form = *decoded->message.amqp_form;
  ASSERT_EQ(form.fields.size(), 1U);
  EXPECT_EQ(form.fields[0].first, AmqpField::kAbsoluteExpiryTime);
}

TEST(RecordsTest, AFormWithNothingLeftIsNone) {
  StoredMessage stored;
  AmqpForm form;
  form.fields = {{AmqpField::kSubject, std::string("\xb1\0\0\0\x01s", 6)}};
  stored.message.amqp_form = std::make_shared<const AmqpForm>(form);
  stored.message.subject = "another";

  const auto decoded = DecodeMessage(SequenceNumber(1), EncodeMessage(stored));

  EXPECT_EQ(decoded->message.amqp_form, nullptr);
  EXPECT_EQ(decoded->message.subject, "another");
}

// As a shared body it would be taken away while others still have it.
TEST(RecordsTest, ASharedBodyWithoutItsHandleIsRefused) {
  StoredMessage stored;
  stored.facts.size = 5000;
  stored.facts.body_ref = BodyRef{EntityId(7), SequenceNumber(9), 5000, 0x0102030405060708};
  std::string record = EncodeMessage(stored);
  ASSERT_TRUE(DecodeMessage(SequenceNumber(1), record).ok());
  const std::size_t handle = record.size() - sizeof(std::uint64_t);
  record.replace(handle, sizeof(std::uint64_t), sizeof(std::uint64_t), '\0');

  EXPECT_FALSE(DecodeMessage(SequenceNumber(1), record).ok());
}

TEST(RecordsTest, AnEntityComesBackWithEveryProperty) {
  for (const EntityRecord& entity : {SampleEntity(), EntityRecord()}) {
    const Result<EntityRecord> decoded = DecodeEntity(EncodeEntity(entity));

    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_EQ(decoded->id, entity.id);
    EXPECT_EQ(decoded->created_at, entity.created_at);
    EXPECT_EQ(decoded->updated_at, entity.updated_at);
    EXPECT_EQ(decoded->description, entity.description);
  }
}

TEST(RecordsTest, EachFlagOfADescriptionComesBackAlone) {
  bool QueueDescription::*const flags[] = {&QueueDescription::requires_duplicate_detection,
                                           &QueueDescription::requires_session,
                                           &QueueDescription::dead_lettering_on_message_expiration,
                                           &QueueDescription::enable_batched_operations,
                                           &QueueDescription::enable_partitioning,
                                           &QueueDescription::enable_priority,
                                           &QueueDescription::support_ordering,
                                           &QueueDescription::enable_express};
  for (const auto flag : flags) {
    EntityRecord entity;
    entity.description.*flag = !(entity.description.*flag);
    EXPECT_EQ(DecodeEntity(EncodeEntity(entity))->description, entity.description);
  }
}

TEST(RecordsTest, EachStatusComesBack) {
  for (const EntityStatus status : {EntityStatus::kActive, EntityStatus::kDisabled,
                                    EntityStatus::kSendDisabled, EntityStatus::kReceiveDisabled}) {
    EntityRecord entity;
    entity.description.status = status;
    EXPECT_EQ(DecodeEntity(EncodeEntity(entity))->description.status, status);
  }
}

TEST(RecordsTest, AnEventLogComesBack) {
  EntityRecord entity;
  entity.description.event_log_size_in_kilobytes = 1024;
  entity.description.event_log_retention = std::chrono::hours(1);

  EXPECT_EQ(DecodeEntity(EncodeEntity(entity))->description, entity.description);
}

TEST(RecordsTest, UnknownElementsComeBack) {  // EPR-24
  EntityRecord entity;
  entity.description.unknown_elements = "<a/>";
  EXPECT_EQ(DecodeEntity(EncodeEntity(entity))->description, entity.description);
  entity.description.event_log_size_in_kilobytes = 64;
  entity.description.unknown_elements = std::string(kUnknownElementsBytesMax, 'x');
  const std::string record = EncodeEntity(entity);
  EXPECT_EQ(DecodeEntity(record)->description, entity.description);

  for (const std::size_t bytes : {record.size() - 1, record.size() - kUnknownElementsBytesMax}) {
    EXPECT_FALSE(DecodeEntity(std::string_view(record).substr(0, bytes)).ok());
  }
}

// Its text would be missing, or taken for something else.
TEST(RecordsTest, AFlagThatANewerVersionKnowsIsRefused) {
  EntityRecord entity;
  entity.description.name = "q";
  entity.description.unknown_elements = "<a/>";
  std::string record = EncodeEntity(entity);
  // Behind the name, seven bits a byte: the highest flag that there is, and two that are on anyway.
  const std::size_t flags = record.find("q\xA8\x80\x04");
  ASSERT_NE(flags, record.npos);
  ASSERT_TRUE(DecodeEntity(record).ok());

  record[flags + 3] = '\x0C';
  EXPECT_FALSE(DecodeEntity(record).ok());
}

TEST(RecordsTest, EachBackoffComesBack) {
  for (const Backoff backoff : {Backoff::kFixed, Backoff::kExponential}) {
    EntityRecord entity;
    entity.description.retry_policy =
        RetryPolicy{backoff, std::chrono::seconds(1), std::chrono::hours(1), 0.5};
    const Result<EntityRecord> decoded = DecodeEntity(EncodeEntity(entity));

    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_EQ(decoded->description, entity.description);
  }
}

TEST(RecordsTest, CountersComeBack) {
  const LaneCounters counters = SampleCounters();
  EXPECT_EQ(*DecodeCounters(EncodeCounters(counters)), counters);
  EXPECT_EQ(*DecodeCounters(EncodeCounters(LaneCounters())), LaneCounters());
}

TEST(RecordsTest, NegativeCountersAreRefused) {
  for (const auto counter : {&LaneCounters::fresh, &LaneCounters::locked, &LaneCounters::returned,
                             &LaneCounters::delayed, &LaneCounters::deferred, &LaneCounters::bytes,
                             &LaneCounters::scheduled, &LaneCounters::scheduled_bytes}) {
    LaneCounters counters = SampleCounters();
    counters.*counter = -1;
    EXPECT_FALSE(DecodeCounters(EncodeCounters(counters)).ok());
  }
}

TEST(RecordsTest, ALockComesBack) {
  const Lock lock = SampleLock();

  const auto row = DecodeLocked(lock.number, EncodeLocked({kSampleToken, lock}));

  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(row->token, kSampleToken);
  EXPECT_EQ(row->lock.number, lock.number);
  EXPECT_EQ(row->lock.until, lock.until);
  EXPECT_EQ(row->lock.delivery.count, lock.delivery.count);
  EXPECT_EQ(*row->lock.delivery.changed_properties, *lock.delivery.changed_properties);
  EXPECT_EQ(row->lock.facts.size, lock.facts.size);
  EXPECT_EQ(row->lock.facts.expires_at, lock.facts.expires_at);
  EXPECT_EQ(row->lock.facts.body_ref, lock.facts.body_ref);
}

TEST(RecordsTest, ADelayedMessageComesBack) {
  const Lock lock = SampleLock();

  const auto delayed =
      DecodeDelayed(lock.number, EncodeDelayed(lock.delivery, lock.facts, lock.until));

  ASSERT_TRUE(delayed.ok()) << delayed.status().ToString();
  EXPECT_EQ(delayed->available_at, lock.until);
  EXPECT_EQ(delayed->row.number, lock.number);
  EXPECT_EQ(delayed->row.delivery.count, lock.delivery.count);
}

TEST(RecordsTest, AQuarantinedMessageComesBack) {
  const Lock lock = SampleLock();
  const QuarantineNote note{lock.until, Standing::kDelayed, "a block is damaged"};

  const auto row =
      DecodeQuarantined(lock.number, EncodeQuarantined(lock.delivery, lock.facts, note));

  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(row->row.number, lock.number);
  EXPECT_EQ(row->row.facts.size, lock.facts.size);
  EXPECT_EQ(row->note.since, note.since);
  EXPECT_EQ(row->note.from, note.from);
  EXPECT_EQ(row->note.reason, note.reason);
}

// As the version before wrote them, which did not note what was taken out of order.
std::string OldRecordOf(LaneCounters counters) {
  counters.taken_ends.clear();
  std::string record = EncodeCounters(counters);
  record[0] = 2;
  record.pop_back();
  return record;
}

// As versions before that wrote them, which counted no separate bodies.
std::string OlderRecordOf(LaneCounters counters) {
  counters.separate_bodies = 0;
  std::string record = OldRecordOf(counters);
  record[0] = 1;
  record.pop_back();
  const bool has_met_damage = counters.quarantined > 0 || counters.is_uncertain;
  if (!has_met_damage) record.resize(record.size() - 2);
  return record;
}

TEST(RecordsTest, ThatSeparateBodiesAreUnknownComesBack) {
  LaneCounters counters = SampleCounters();
  counters.separate_bodies = 0;
  counters.knows_separate_bodies = false;

  EXPECT_EQ(*DecodeCounters(EncodeCounters(counters)), counters);
}

TEST(RecordsTest, FewerSeparateBodiesThanNoneAreRefused) {
  LaneCounters counters = SampleCounters();
  counters.separate_bodies = -2;

  EXPECT_FALSE(DecodeCounters(EncodeCounters(counters)).ok());
}

TEST(RecordsTest, CountersOfAnOlderVersionDoNotKnowSeparateBodies) {
  LaneCounters whole = SampleCounters();
  whole.separate_bodies = 0;
  whole.knows_separate_bodies = false;
  whole.ForgetTaken();
  LaneCounters quarantined = whole;
  quarantined.quarantined = 7;
  LaneCounters uncertain = whole;
  uncertain.is_uncertain = true;

  for (const LaneCounters& counters : {whole, quarantined, uncertain}) {
    const Result<LaneCounters> decoded = DecodeCounters(OlderRecordOf(counters));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(*decoded, counters);
    EXPECT_FALSE(DecodeCounters(OlderRecordOf(counters) + '\0').ok());
  }
}

TEST(RecordsTest, OfCountersOfAnOlderVersionAnythingMayHaveBeenTakenOutOfOrder) {
  LaneCounters counters = SampleCounters();
  const Result<LaneCounters> decoded = DecodeCounters(OldRecordOf(counters));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->taken_end(0), counters.next_number);
  EXPECT_EQ(decoded->taken_end(kPartitions - 1), counters.next_numbers.back());

  counters.ForgetTaken();
  EXPECT_EQ(*decoded, counters);
  EXPECT_FALSE(DecodeCounters(OldRecordOf(counters) + '\0').ok());
}

TEST(RecordsTest, EndsOfOtherPartitionsAreRefused) {
  LaneCounters counters = SampleCounters();
  counters.taken_ends = {SequenceNumber(), FirstNumberOf(2)};
  EXPECT_FALSE(DecodeCounters(EncodeCounters(counters)).ok());

  counters.taken_ends.assign(kPartitions + 1, SequenceNumber());
  EXPECT_FALSE(DecodeCounters(EncodeCounters(counters)).ok());
}

TEST(RecordsTest, CountersOfALaneWithQuarantineComeBack) {
  LaneCounters counters = SampleCounters();
  counters.quarantined = 7;

  EXPECT_EQ(*DecodeCounters(EncodeCounters(counters)), counters);
}

TEST(RecordsTest, ThatCountersAreUncertainComesBackAlsoWhenQuarantineIsEmpty) {
  LaneCounters counters = SampleCounters();
  counters.is_uncertain = true;

  EXPECT_EQ(*DecodeCounters(EncodeCounters(counters)), counters);
}

TEST(RecordsTest, CountersThatEndInNothingButNoughtsAreDamaged) {
  EXPECT_FALSE(DecodeCounters(OlderRecordOf(SampleCounters()) + std::string(2, '\0')).ok());
}

TEST(RecordsTest, CountersAreUncertainOrNot) {
  LaneCounters counters = SampleCounters();
  counters.quarantined = 1;
  counters.separate_bodies = 0;
  counters.taken_ends.clear();
  std::string record = EncodeCounters(counters);
  std::string older = OlderRecordOf(counters);

  EXPECT_FALSE(DecodeCounters(older.substr(0, older.size() - 1)).ok());
  record[record.size() - 3] = 2;
  EXPECT_FALSE(DecodeCounters(record).ok());
  older.back() = 2;
  EXPECT_FALSE(DecodeCounters(older).ok());
}

TEST(RecordsTest, AJobComesBack) {
  const auto job = DecodeJob(SampleJob().id, EncodeJob(SampleJob()));

  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_EQ(*job, SampleJob());
}

TEST(RecordsTest, AJobWithoutAFilterComesBack) {
  JobRecord job = SampleJob();
  job.order.selection.sql_filter.clear();

  EXPECT_EQ(*DecodeJob(job.id, EncodeJob(job)), job);
}

TEST(RecordsTest, ARememberedMessageIdComesBack) {
  const auto row =
      DecodeDuplicate(EncodeDuplicate({SequenceNumber(5), Timestamp(Duration(9)), true}));

  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(row->number, SequenceNumber(5));
  EXPECT_EQ(row->forget_after, Timestamp(Duration(9)));
  EXPECT_TRUE(row->is_scheduled);
}

TEST(RecordsTest, AReturnedMessageComesBack) {
  const Lock lock = SampleLock();

  const auto row = DecodeReturned(lock.number, EncodeReturned(lock.delivery, lock.facts));
  const auto plain = DecodeReturned(lock.number, EncodeReturned(Delivery(), MessageFacts()));

  ASSERT_TRUE(row.ok() && plain.ok());
  EXPECT_EQ(row->number, lock.number);
  EXPECT_EQ(row->delivery.count, lock.delivery.count);
  EXPECT_EQ(*row->delivery.changed_properties, *lock.delivery.changed_properties);
  EXPECT_EQ(row->facts.body_ref, lock.facts.body_ref);
  EXPECT_EQ(plain->delivery.changed_properties, nullptr);
  EXPECT_EQ(plain->facts.body_ref, std::nullopt);
  EXPECT_EQ(plain->facts.expires_at, kNever);
}

TEST(RecordsTest, AMessageComesBackInItsTrack) {  // PRI-1, PAR-7
  StoredMessage message = SampleStoredMessage();
  message.facts.track = 0;
  EXPECT_EQ(DecodeMessage(message.number, EncodeMessage(message))->facts.track, 0);
  EXPECT_EQ(DecodeReturned(message.number, EncodeReturned(Delivery(), message.facts))->facts.track,
            0);

  message.facts.track = kTracksMax;
  EXPECT_FALSE(DecodeMessage(message.number, EncodeMessage(message)).ok());
  EXPECT_FALSE(DecodeReturned(message.number, EncodeReturned(Delivery(), message.facts)).ok());
}

TEST(RecordsTest, ThatAMessageSharesItsHintComesBack) {
  StoredMessage message = SampleStoredMessage();
  for (const bool shares : {true, false}) {
    message.facts.shares_hint = shares;
    const auto stored = DecodeMessage(message.number, EncodeMessage(message));
    const auto returned = DecodeReturned(message.number, EncodeReturned(Delivery(), message.facts));
    EXPECT_EQ(stored->facts.shares_hint, shares);
    EXPECT_EQ(returned->facts.shares_hint, shares);
  }
}

TEST(RecordsTest, ThatAMessageSharesItsHintTakesNoByte) {
  StoredMessage message = SampleStoredMessage();
  const std::size_t size = EncodeMessage(message).size();
  message.facts.shares_hint = true;
  EXPECT_EQ(EncodeMessage(message).size(), size);
}

TEST(RecordsTest, ASharedHintComesBack) {
  const SharedHint shared{{Timestamp(Duration(5)), DueKind::kExpireShared, {}, SequenceNumber(7)},
                          SequenceNumber(300),
                          Timestamp(Duration(-6)),
                          Timestamp(Duration(70))};
  const std::string record = EncodeSharedHint(shared);

  const auto decoded = DecodeSharedHint(RowOf(shared), record);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, shared);
  EXPECT_FALSE(DecodeSharedHint(RowOf(shared), record.substr(0, record.size() - 1)).ok());
  EXPECT_FALSE(DecodeSharedHint(RowOf(shared), record + "x").ok());
  EXPECT_FALSE(DecodeSharedHint(RowOf(shared), "").ok());
  SharedHint empty = shared;
  empty.end = empty.hint.number;
  EXPECT_FALSE(DecodeSharedHint(RowOf(empty), EncodeSharedHint(empty)).ok());
}

TEST(RecordsTest, NumbersOfOtherPartitionsAreRefused) {  // PAR-3
  LaneCounters counters = SampleCounters();
  std::swap(counters.next_numbers[3], counters.next_numbers[4]);
  EXPECT_FALSE(DecodeCounters(EncodeCounters(counters)).ok());

  counters.next_numbers.resize(3);
  EXPECT_FALSE(DecodeCounters(EncodeCounters(counters)).ok());
}

TEST(RecordsTest, FactsThatContradictEachOtherAreRefused) {
  Lock lock = SampleLock();
  lock.facts.body_ref->size = static_cast<std::uint64_t>(lock.facts.size) + 1;
  StoredMessage message = SampleStoredMessage();
  message.facts = lock.facts;

  EXPECT_FALSE(DecodeReturned(lock.number, EncodeReturned(lock.delivery, lock.facts)).ok());
  EXPECT_FALSE(DecodeMessage(message.number, EncodeMessage(message)).ok());
}

TEST(RecordsTest, MetaComesBack) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(*DecodeMeta("format", EncodeMeta(kMost)), kMost);
}

TEST(RecordsTest, ATransactionComesBackWithItsOutcome) {  // TXX-1
  const TransactionRecord transaction = SampleTransaction();

  const auto decoded = DecodeTransaction(transaction.id, EncodeTransaction(transaction));

  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(*decoded, transaction);
}

}  // namespace
}  // namespace wharf
