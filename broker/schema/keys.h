// Keys: where each row stands. Numbers are big-endian, so that order on disk is order of numbers.
//
//   meta             name; or of a bucket: 0 · bucket (1) · name
//   catalog          folded path of the entity
//   counters         entity (8) · lane (1)
//   messages         entity (8) · shelf (1) · sequence number (8)
//   bodies           entity at birth (8) · number at birth (8) · chunk (4)
//                    the number of an uploaded body is random and has the highest bit (BodyRef)
//   delivery         entity (8) · shelf (1) · standing (1) · sequence number (8)
//   jobs             bucket (1) · kind (1), and
//                    of an entity or its schedule that is reclaimed: entity (8);
//                    of a shelf that is reclaimed: entity (8) · shelf (1);
//                    of a job: id (8), in the bucket of the entity whose messages it takes;
//                    of a loose body: entity (8) · number (8), and the handle (8) of a shared one;
//                    of a released body: entity (8) · number (8);
//                    of an entity that is fenced: entity (8)
//   scheduled        entity (8) · sequence number (8)
//   scheduled_times  entity (8) · time (8) · sequence number (8)
//   due              bucket (1) · time (8) · kind (1) · entity (8) · shelf (1) ·
//                    sequence number (8); of a hint that messages share, its end
//   duplicates       entity (8) · partition key, escaped and ended · message id
//   order            entity (8) · shelf (1) · ordering key, escaped and ended · sequence number (8)
//                    the session id, or a byte: the level, or the partition
//   sessions         entity (8) · session id
//   session_state    entity (8) · session id
//   sessions_ready   entity (8) · shelf (1) · sequence number, its count before its partition (8) ·
//                    session id
//   rules            entity of the subscription (8) · folded name of the rule
//   body_refs        body: entity (8) · number (8) · handle of a copy (8)
//   outcomes         bucket (1), of the id · 1 · transaction id, while it is open;
//                    bucket (1) · 2 · transaction id, when it has ended
//   spans            entity (8) · shelf (1) · first sequence number (8)
//   access           entity (8), zero for the namespace · folded name of the rule
//   events           entity (8) · position (8) in its event log; of the head the highest one
//
// A shelf is the lane plus four times its generation. All parts but the last are of fixed size, or
// end themselves, so no key is a prefix of another's range.
//
// The first two bytes of an entity are its bucket (`EntityId`), so that the rows of a bucket stand
// together in every table but `catalog`. A bucket that stands before its entity is the same.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/changes/change.h"
#include "broker/core/messages/scheduled_page.h"
#include "storage/store.h"

namespace wharf {

// How many bytes of a key name a shelf, at its beginning, or a number, at its end.
inline constexpr std::size_t kShelfKeyBytes = 9;
inline constexpr std::size_t kNumberKeyBytes = 8;

// Which long work a row of `jobs` is. The values are on disk.
enum class JobKind : std::uint8_t {
  kReclaimEntity = 1,
  // No message names this body: it is being uploaded, or sent to a receiver that took its message
  // without a lock. After a start nobody does either, so its chunks can go.
  kLooseBody = 2,
  kReclaimShelf = 3,
  kReclaimScheduled = 4,
  kJob = 5,
  // A copy that shared this body is gone: a reader has to look whether it was the last.
  kReleasedBody = 6,
  // Rows of the entity do not agree: it is used again when it was recounted.
  kFence = 7,
};

// A name of the whole folder is its own key; this is one that every bucket has.
std::string BucketMetaKey(Bucket bucket, std::string_view name);
KeyRange BucketMetaRange();
struct BucketMetaName {
  Bucket bucket{};
  std::string name;
};
std::optional<BucketMetaName> NameOfBucketMetaKey(std::string_view key);

std::string CountersKey(LaneId lane);
// The lane of a key of `counters`.
std::optional<LaneId> LaneOfCountersKey(std::string_view key);

std::string MessageKey(const Shelf& shelf, SequenceNumber number);
// The number of a key of `messages` or `delivery`; nothing if it is no such key.
std::optional<SequenceNumber> NumberOfMessageKey(std::string_view key);
// The shelf of a key of `messages`.
std::optional<Shelf> ShelfOfMessageKey(std::string_view key);
std::optional<SequenceNumber> NumberOfDeliveryKey(std::string_view key);
// The shelf with which a key of `messages` or `order` begins.
std::optional<Shelf> ShelfOfKey(std::string_view key);
// Messages from `from` up to but not `until`.
KeyRange MessageRange(const Shelf& shelf, SequenceNumber from, SequenceNumber until);
// Messages from `from` to the shelf's end.
KeyRange MessageRange(const Shelf& shelf, SequenceNumber from);

std::string BodyKey(const BodyRef& body, std::uint32_t chunk);
KeyRange BodyRange(const BodyRef& body);

// The row of a copy that shares the body, and those of all its copies.
std::string BodyRefKey(const BodyRef& body);
KeyRange BodyRefRange(const BodyRef& body);

// By its first number, the key that the message with this number has in `messages`.
std::string SpanKey(const Shelf& shelf, SequenceNumber first);

std::string RuleKey(EntityId subscription, std::string_view name);
// The subscription of a key of `rules`.
std::optional<EntityId> SubscriptionOfRuleKey(std::string_view key);

// Of `access`; the entity of a key.
std::string AccessRuleKey(EntityId entity, std::string_view name);
std::optional<EntityId> EntityOfAccessRuleKey(std::string_view key);

std::string DeliveryKey(const Shelf& shelf, Standing standing, SequenceNumber number);
KeyRange DeliveryRange(const Shelf& shelf, Standing standing, SequenceNumber from);

std::string ScheduledKey(EntityId entity, SequenceNumber number);
KeyRange ScheduledRange(EntityId entity, SequenceNumber from, SequenceNumber until);
// The number of a key of `scheduled`.
std::optional<SequenceNumber> NumberOfScheduledKey(std::string_view key);

std::string ScheduledTimeKey(EntityId entity, const ScheduledTime& at);
KeyRange ScheduledTimeRange(EntityId entity, const ScheduledTime& from);
std::optional<ScheduledTime> ScheduledTimeOfKey(std::string_view key);

std::string DueKey(const DueHint& hint);
// Hints of a bucket from `from` up to but not `until`.
KeyRange DueRange(Bucket bucket, const DueHint& from, Timestamp until);
std::optional<DueHint> HintOfDueKey(std::string_view key);

std::string DuplicateKey(EntityId entity, std::string_view partition_key,
                         std::string_view message_id);

// Messages of a session that wait or are delayed; or those of a track that wait.
std::string OrderKey(const Shelf& shelf, std::string_view session, SequenceNumber number);
KeyRange OrderRange(const Shelf& shelf, std::string_view session, SequenceNumber from);
// Those of all sessions with ids behind `after`, or of all.
KeyRange OrderRange(const Shelf& shelf, const std::optional<std::string>& after);
struct OrderedMessage {
  std::string session;
  SequenceNumber number;
};
std::optional<OrderedMessage> MessageOfOrderKey(std::string_view key);

// Of `sessions` and `session_state`.
std::string SessionKey(EntityId entity, std::string_view session);
// Sessions with ids behind `after`, or all.
KeyRange SessionRange(EntityId entity, const std::optional<std::string>& after);
std::optional<std::string> SessionOfKey(std::string_view key);

std::string OfferKey(const Shelf& shelf, SequenceNumber number, std::string_view session);
// Offers from this one to the shelf's end.
KeyRange OfferRange(const Shelf& shelf, SequenceNumber number, std::string_view session);
std::optional<OrderedMessage> OfferOfKey(std::string_view key);

// Of `events`; rows from one position on, the head not among them, or from one up to another.
std::string EventKey(EntityId entity, std::uint64_t position);
KeyRange EventRange(EntityId entity, std::uint64_t from);
KeyRange EventRangeBetween(EntityId entity, std::uint64_t from, std::uint64_t until);
std::optional<std::uint64_t> PositionOfEventKey(std::string_view key);
// The row that says where the log ends.
std::string EventHeadKey(EntityId entity);
bool IsEventHeadKey(std::string_view key);

// Every row of a shelf in the tables whose keys begin with it.
KeyRange ShelfRange(const Shelf& shelf);
// Every row of an entity in the tables whose keys begin with it.
KeyRange EntityRange(EntityId entity);

std::optional<JobKind> KindOfJobKey(std::string_view key);
// For kReclaimEntity, kReclaimScheduled and kFence.
std::string ReclaimKey(JobKind kind, EntityId entity);
std::optional<EntityId> EntityOfReclaimKey(std::string_view key);
// For kReclaimShelf; and every such row of an entity.
std::string ReclaimShelfKey(const Shelf& shelf);
std::optional<Shelf> ShelfOfReclaimKey(std::string_view key);
KeyRange ReclaimShelfRange(EntityId entity);
// For kJob.
std::string JobKey(Bucket bucket, JobId id);
std::optional<JobId> IdOfJobKey(std::string_view key);

std::string OutcomeKey(const TransactionId& id, bool is_open);
KeyRange OpenTransactionRange(Bucket bucket);
// The id of a key of `outcomes`.
std::optional<TransactionId> TransactionOfKey(std::string_view key);

std::string LooseBodyKey(const BodyRef& body);
// The body that the key names, without its size.
std::optional<BodyRef> BodyOfLooseBodyKey(std::string_view key);
// The same for a released body.
std::string ReleasedBodyKey(const BodyRef& body);
std::optional<BodyRef> BodyOfReleasedBodyKey(std::string_view key);
// The released bodies of a bucket behind `after`, or all of them.
KeyRange ReleasedBodyRange(Bucket bucket, const std::optional<BodyRef>& after);

}  // namespace wharf
