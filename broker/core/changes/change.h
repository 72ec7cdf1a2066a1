// Change: one thing that happened. Every answer of the broker rests on a list of them.
//
// Made by entities when they plan, taken by them at once, turned into rows by schema, and printed
// by tests. A change says all that schema needs, so that nothing has to be read to write it.
//
// The file is long because all kinds stand in it: whoever takes, writes or prints changes must know
// every one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "broker/access/access_rule.h"
#include "broker/core/changes/counters.h"
#include "broker/core/changes/shelf.h"
#include "broker/core/changes/span.h"
#include "broker/core/entities/names.h"
#include "broker/core/entities/queue_description.h"
#include "broker/core/entities/rule.h"
#include "broker/core/messages/message.h"
#include "broker/core/operations/job.h"
#include "broker/core/operations/transaction_record.h"
#include "storage/base/boxed.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

// What deviates from a message that was never delivered.
struct Delivery {
  // Deliveries that failed (CNT-1).
  std::uint32_t count = 0;
  // Application properties changed by receivers since it was stored (STL-7). Null: none.
  std::shared_ptr<const PropertyMap> changed_properties;
};

// A session that a receiver holds, or whose messages have expired.
struct SessionRow {
  // Zero: no receiver holds it.
  LockToken token;
  Timestamp until;
  Timestamp since;
  // Messages that wait up to here have expired, and are being removed (TTS-7); 0: none.
  SequenceNumber expired_through;

  bool is_empty() const { return token.is_zero() && expired_through == SequenceNumber(); }
  friend bool operator==(const SessionRow&, const SessionRow&) = default;
};

// What an entity is, apart from its messages.
struct EntityRecord {
  EntityId id;
  EntityKind kind = EntityKind::kQueue;
  QueueDescription description;
  Timestamp created_at;
  Timestamp updated_at;
};

struct EntityCreated {
  Boxed<EntityRecord> record;
};
struct EntityUpdated {
  Boxed<EntityRecord> record;
};
// The entity is gone for everyone; its rows are reclaimed in bounded steps, or, if none has to be
// read for it, at one go.
struct EntityDeleted {
  EntityId id;
  std::string name;
};
// A step of that, or of a purge: rows of one shelf up to `through`, and these bodies, can go.
struct ShelfReclaimed {
  Shelf shelf;
  SequenceNumber through;
  std::vector<BodyRef> bodies;
};
struct ShelfReclaimFinished {
  Shelf shelf;
  // So many messages went that their space is worth giving back.
  bool frees_much = false;
};
// The same for scheduled messages.
struct ScheduledReclaimed {
  EntityId entity;
  // Each with the time that it waited for.
  std::vector<std::pair<SequenceNumber, Timestamp>> messages;
  std::vector<BodyRef> bodies;
};
struct ScheduledReclaimFinished {
  EntityId entity;
};
struct EntityReclaimFinished {
  EntityId id;
  // As with a shelf.
  bool frees_much = false;
};
// Everything that stood in the lane is gone; its rows are reclaimed as those of an entity are.
struct LanePurged {
  Shelf shelf;
};
// All scheduled messages below `floor` are gone; their rows are reclaimed later.
struct ScheduledPurged {
  EntityId entity;
  SequenceNumber floor;
};

struct MessageEnqueued {
  Shelf lane;
  MessagePtr message;
};
struct MessageLocked {
  Shelf lane;
  SequenceNumber number;
  LockToken token;
  Timestamp until;
  Delivery delivery;
  MessageFacts facts;
  Standing from = Standing::kFresh;
};
struct LockRenewed {
  Shelf lane;
  SequenceNumber number;
  LockToken token;
  Timestamp until;
  Delivery delivery;
  MessageFacts facts;
  // It goes back to kDeferred when the lock ends (STA-4).
  bool was_deferred = false;
};
// A locked message is done.
struct MessageCompleted {
  Shelf lane;
  SequenceNumber number;
  MessageFacts facts;
};
// A message left for a receiver that takes it without a lock (receive-and-delete). A large body
// becomes loose: it is still to be sent.
struct MessageConsumed {
  Shelf lane;
  SequenceNumber number;
  MessageFacts facts;
  Standing from = Standing::kFresh;
};

enum class ReturnCause : std::uint8_t { kAbandoned, kLockExpired, kReleased, kDeferred };

// A locked message is available again at its old place.
struct MessageReturned {
  Shelf lane;
  SequenceNumber number;
  Delivery delivery;
  MessageFacts facts;
  ReturnCause cause = ReturnCause::kReleased;
};
// The same, but not before an instant (RTY-2).
struct MessageDelayed {
  Shelf lane;
  SequenceNumber number;
  Delivery delivery;
  MessageFacts facts;
  Timestamp available_at;
  ReturnCause cause = ReturnCause::kAbandoned;
};
// Its delay is over: it is available at its old place.
struct MessageDelayEnded {
  Shelf lane;
  SequenceNumber number;
  Delivery delivery;
  MessageFacts facts;
  Timestamp available_at;
};
// A locked message stays in the lane, for the receiver that asks for its number (DEF-1).
struct MessageDeferred {
  Shelf lane;
  SequenceNumber number;
  Delivery delivery;
  MessageFacts facts;
  ReturnCause cause = ReturnCause::kDeferred;
};
// A deferred message is available again at its place (DFX-1).
struct MessageUndeferred {
  Shelf lane;
  SequenceNumber number;
  Delivery delivery;
  MessageFacts facts;
};
// Why a message is in quarantine, since when, and where it stood before.
struct QuarantineNote {
  Timestamp since;
  Standing from = Standing::kFresh;
  std::string reason;
};
// A message cannot be read, or not without guessing: it leaves its standing, and its rows stay.
struct MessageQuarantined {
  Shelf lane;
  SequenceNumber number;
  // As far as they are known.
  Delivery delivery;
  MessageFacts facts;
  Boxed<QuarantineNote> note;
};
// A scheduled message cannot be read when its time has come. It enters the main lane as one that is
// activated would, and is in quarantine there, under a number of its own.
struct ScheduledQuarantined {
  Shelf lane;
  SequenceNumber number;
  SequenceNumber scheduled_number;
  Timestamp time;
  // What stands in its row, if that much can be read: it moves along.
  std::string record;
  Boxed<QuarantineNote> note;
};
enum class RemovalCause : std::uint8_t { kExpired, kDeleted, kDuplicate };
// A message is gone that no receiver got.
struct MessageRemoved {
  Shelf lane;
  SequenceNumber number;
  MessageFacts facts;
  Standing from = Standing::kFresh;
  RemovalCause cause = RemovalCause::kExpired;
};
// Fresh messages expired and were counted out together: those from `first` to `last` that the span
// covers (TTL-1). Their rows stay until a compaction drops them.
struct MessagesExpired {
  Shelf lane;
  SequenceNumber first;
  SequenceNumber last;
  // How many, and their bytes.
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  // The row that says so from now on; it may reach further than this run.
  Boxed<Span> span;
  // First numbers of the spans that it takes the place of.
  std::vector<SequenceNumber> absorbed;
};
// A span is given up: the rows of all that it covers are deleted, and so is its own.
struct SpanForgotten {
  Shelf lane;
  Boxed<Span> span;
  // Of the messages, where they have one.
  std::optional<std::uint8_t> track{};
};
// A message moved from the main lane to the dead-letter queue; it keeps its number (SEQ-7).
struct MessageDeadLettered {
  Shelf from_lane;
  Shelf to_lane;
  // As it rests there, with reason and description among its application properties.
  MessagePtr message;
  Delivery delivery;
  // Of the message as it was.
  MessageFacts facts_before;
  Standing from = Standing::kLocked;
};
// A message moved from a dead-letter queue to the end of a queue (RDR-1).
struct MessageRedriven {
  Shelf from_lane;
  SequenceNumber number_before;
  MessageFacts facts_before;
  Standing from = Standing::kReturned;
  Shelf to_lane;
  MessagePtr message;
};
// A message left its entity for another one (FWD-1).
struct MessageForwarded {
  Shelf from_lane;
  SequenceNumber number_before;
  MessageFacts facts_before;
  Standing from = Standing::kFresh;
  Shelf to_lane;
  MessagePtr message;
  // There it waits for its time, and is in no lane yet (FWD-13).
  std::optional<Timestamp> scheduled_for{};
};

// A message that waits for `time` (SCH-1); it is in no lane yet.
struct MessageScheduled {
  EntityId entity;
  MessagePtr message;
  Timestamp time;
};
// A scheduled message waits for another time; it keeps its number (SCX-1).
struct MessageRescheduled {
  EntityId entity;
  MessagePtr message;
  Timestamp time_before;
  Timestamp time;
};
struct ScheduledCancelled {
  EntityId entity;
  SequenceNumber number;
  Timestamp time;
  MessageFacts facts;
  // It could not be read, and of its facts nothing is known.
  bool is_unreadable = false;
};
// A scheduled message entered the main lane as if it had just been sent (SCH-5).
struct MessageActivated {
  Shelf lane;
  MessagePtr message;
  SequenceNumber scheduled_number;
  Timestamp time;
};

// A message id that is not to be accepted again for a while (DUP-5).
struct MessageIdRemembered {
  EntityId entity;
  // Ids are compared within it; empty on an entity without partitions.
  std::string partition_key;
  std::string message_id;
  SequenceNumber number;
  Timestamp forget_after;
  // `number` is that of a scheduled message.
  bool is_scheduled = false;
};

// A receiver holds a session from now on, or for longer.
struct SessionLocked {
  EntityId entity;
  std::string session;
  SessionRow row;
};
struct SessionLockRenewed {
  EntityId entity;
  std::string session;
  SessionRow row;
};
enum class SessionEndCause : std::uint8_t { kReleased, kExpired };
// No receiver holds the session any more; its messages came back before.
struct SessionUnlocked {
  EntityId entity;
  std::string session;
  SessionRow row;
  SessionEndCause cause = SessionEndCause::kReleased;
};
// Everything that waits in a session has expired (TTS-1); it is removed later, in bounded steps.
struct SessionExpired {
  EntityId entity;
  std::string session;
  SessionRow row;
};
struct SessionExpiryFinished {
  EntityId entity;
  std::string session;
  SessionRow row;
};
// A session that no receiver holds may have a message to deliver, from `number` on (SES-5). An
// offer may be stale: what takes it up looks at the session first.
struct SessionOffered {
  Shelf shelf;
  SequenceNumber number;
  std::string session;
};
struct SessionOfferWithdrawn {
  Shelf shelf;
  SequenceNumber number;
  std::string session;
};
// What its holders keep for each other; nothing: the state is cleared (SST-2).
struct SessionStateSet {
  EntityId entity;
  std::string session;
  std::optional<std::string> state;
  Timestamp updated_at;
};

// A subscription gets what its rules say (RUL-12).
struct RuleAdded {
  EntityId subscription;
  Boxed<RuleDescription> rule;
};
struct RuleRemoved {
  EntityId subscription;
  std::string name;
};

// Who knows a key of it may do something on the entity, or everywhere if it has the id zero: a rule
// that is new, or has another key from now on (SEC-2).
struct AccessRuleSet {
  EntityId entity;
  Boxed<access::AccessRule> rule;
};
struct AccessRuleRemoved {
  EntityId entity;
  std::string name;
};

// A topic took a message. It keeps nothing of it: the copies for its subscriptions, which follow,
// are all that there is (TOP-1).
struct MessagePublished {
  EntityId topic;
  // As it was sent.
  MessagePtr message;
  std::uint32_t copies = 0;
  // The body that all copies share, or that the only one has in rows of its own. With a handle: a
  // copy itself, which this message was before, shared it.
  std::optional<BodyRef> body{};
  // Where it waited before, if it was scheduled.
  struct Scheduled {
    SequenceNumber number;
    Timestamp time;
  };
  std::optional<Scheduled> scheduled{};
  // The lane that it moved here from, and how it stood there.
  struct Origin {
    Shelf lane;
    SequenceNumber number;
    MessageFacts facts;
    Standing standing = Standing::kFresh;
  };
  std::optional<Boxed<Origin>> origin{};
  // The body has rows already; those of one that was just uploaded are loose.
  bool has_stored_body = false;

  bool has_loose_body() const {
    return has_stored_body && body->was_uploaded() && !scheduled && !origin;
  }
};
// A copy entered a subscription: at its end, or in its dead-letter queue, because a rule could
// not be evaluated or the subscription cannot take the message (RUL-8, RSN-4).
struct MessageCopied {
  Shelf lane;
  MessagePtr message;
};
// A copy that shared its body is gone, and it is not known whether it was the last: a reader has
// to look.
struct SharedBodyReleased {
  BodyRef body;
};
// A reader has looked; there are other copies.
struct SharedBodyKept {
  BodyRef body;
};
// The last copy is gone, and so is the body.
struct SharedBodyDropped {
  BodyRef body;
  // Whether SharedBodyReleased said so before.
  bool was_released = false;
};

// What a row of `due` says is to be done; the values are on disk.
enum class DueKind : std::uint8_t { kExpire = 1, kActivate = 2, kEndDelay = 3, kExpireShared = 4 };
struct DueHint {
  Timestamp time;
  DueKind kind = DueKind::kExpire;
  Shelf lane;
  SequenceNumber number;
  friend auto operator<=>(const DueHint&, const DueHint&) = default;
};
// A hint of kind kExpireShared: from its number on something of its lane expires by its time. Meant
// are the messages that share a hint (`MessageFacts::shares_hint`), have numbers below `end`, came
// to the lane until `came_until`, and expire until `expire_until`; all others have others.
struct SharedHint {
  DueHint hint;
  SequenceNumber end;
  Timestamp came_until;
  Timestamp expire_until;
  friend bool operator==(const SharedHint&, const SharedHint&) = default;
};
// A lane begins to share a hint, or the sweeper leaves it for what expires a little later.
struct HintShared {
  SharedHint shared;
};
// There is nothing to do for a hint any more.
struct DueHintDropped {
  DueHint hint;
};
// Every hint in this bucket before `time` was handled.
struct DueHandled {
  Bucket bucket{};
  Timestamp time;
};
// When something will be due in a bucket.
struct DueTime {
  Bucket bucket{};
  Timestamp time = kNever;
};

// Work that goes on over many turns was begun, went on, or ended.
struct JobChanged {
  Boxed<JobRecord> record;
  bool is_new = false;
};
// A finished job is no longer told of (JOB-1).
struct JobForgotten {
  JobId id;
  // Whose messages it was about.
  EntityId entity;
};

// A transaction can be used from now on; what it is to do is in memory only.
struct TransactionBegun {
  TransactionId id;
  Timestamp begun_at;
  // As in its record.
  std::string owner{};
};
// It was committed, with the changes before this one, or rolled back.
struct TransactionEnded {
  TransactionRecord record;
  // TransactionBegun was told of it.
  bool was_open = false;
};

// The next chunk of a large body whose message does not exist yet. Such a body is *loose*: a row
// says that no message names it, from its first chunk to its MessageEnqueued.
struct BodyChunkStored {
  BodyRef body;
  std::uint32_t chunk = 0;
  std::string bytes;
};
// A loose body is not wanted any more: its chunks go.
struct LooseBodyDropped {
  BodyRef body;
};
// What the rows of an entity say does not agree with what is counted, or with each other: nothing
// of it is used until it was recounted.
struct EntityFenced {
  EntityId entity;
  std::string reason;
};
// It was recounted, or is deleted.
struct EntityUnfenced {
  EntityId entity;
};
// A row that contradicts its message, and what is done about it.
struct RowMend {
  enum class Kind : std::uint8_t {
    kDropDelivery,  // The row in `delivery` of that standing goes.
    kReturn,        // The message is available again.
    kDropOrder,     // The row in `order` goes.
    kPutOrder,      // The message waits in its order, with that standing.
    kOffer,         // The session is offered from that number on.
  };
  Kind kind = Kind::kDropDelivery;
  SequenceNumber number;
  Standing standing = Standing::kFresh;
  // The session, or the ordering key of a track.
  std::string ordering_key;
  // Of a message that is available again.
  MessageFacts facts{};
};
// A step of recounting an entity that is fenced.
struct RowsMended {
  Shelf shelf;
  std::vector<RowMend> mends;
};
// What happened in a turn to messages of an entity, as a row of its event log. Positions count
// bytes, from when the log was begun.
struct EventsLogged {
  EntityId entity;
  std::uint64_t position = 0;
  std::string row;
  // Behind the row; and in which turn, counted in the order of all logs.
  std::uint64_t end = 0;
  std::uint64_t serial = 0;
};
// The event log forgets what stands before a position, and was not forgotten before; or all, and is
// none any more.
struct EventsDropped {
  EntityId entity;
  std::uint64_t from = 0;
  std::optional<std::uint64_t> until{};
};
// Made at the end of a turn for every lane that the turn touched.
struct CountersChanged {
  LaneId lane;
  Boxed<LaneCounters> counters;
};

using AnyChange = std::variant<
    EntityCreated, EntityUpdated, EntityDeleted, ShelfReclaimed, ShelfReclaimFinished,
    ScheduledReclaimed, ScheduledReclaimFinished, EntityReclaimFinished, LanePurged,
    ScheduledPurged, MessageEnqueued, MessageLocked, LockRenewed, MessageCompleted, MessageConsumed,
    MessageReturned, MessageDelayed, MessageDelayEnded, MessageDeferred, MessageUndeferred,
    MessageQuarantined, MessageRemoved, MessagesExpired, SpanForgotten, MessageDeadLettered,
    MessageRedriven, MessageForwarded, MessageScheduled, MessageRescheduled, ScheduledCancelled,
    ScheduledQuarantined, MessageActivated, MessageIdRemembered, SessionLocked, SessionLockRenewed,
    SessionUnlocked, SessionExpired, SessionExpiryFinished, SessionOffered, SessionOfferWithdrawn,
    SessionStateSet, RuleAdded, RuleRemoved, AccessRuleSet, AccessRuleRemoved, MessagePublished,
    MessageCopied, SharedBodyReleased, SharedBodyKept, SharedBodyDropped, HintShared,
    DueHintDropped, DueHandled, JobChanged, JobForgotten, TransactionBegun, TransactionEnded,
    BodyChunkStored, LooseBodyDropped, EntityFenced, EntityUnfenced, RowsMended, EventsLogged,
    EventsDropped, CountersChanged>;

template <typename T>
concept KindOfChange = !std::is_same_v<T, class Change> &&
                       std::is_constructible_v<AnyChange, std::in_place_type_t<T>, T>;

// One of them. Copies, moves and ends are compiled once (change.cc), and not in every file that
// has a list of changes: half a hundred kinds each time.
class Change : public AnyChange {
 public:
  template <KindOfChange Kind>
  // NOLINTNEXTLINE(google-explicit-constructor): each kind is a change.
  Change(Kind kind) : AnyChange(std::in_place_type<Kind>, std::move(kind)) {}
  Change(const Change& other);
  Change(Change&& other) noexcept;
  Change& operator=(const Change& other);
  Change& operator=(Change&& other) noexcept;
  ~Change();
};
// A turn may have thousands of changes: what is large and rare is boxed.
static_assert(sizeof(Change) <= 184);
using Changes = std::vector<Change>;

}  // namespace wharf
