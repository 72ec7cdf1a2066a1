// Lane: a queue's messages in order, those that are locked, and the counters of both.
//
// The main part of a queue is one lane, its dead-letter queue another. A lane decides nothing about
// rules; it carries out what the Queue decided, writes the change down, and takes it at once. In a
// dead-letter lane nothing is fresh: all its messages were moved there and count as returned. In
// which order what waits is delivered is the business of its Order, which is chosen when the lane
// is made.
//
// It has many functions, short ones, because all that can happen to a message in its lane happens
// here: its lock, its place in the order and the counters must agree.
//
// Owned by a Queue, used on the shard's thread.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/changes/change.h"
#include "broker/core/changes/watch.h"
#include "broker/core/order/cursor_order.h"
#include "broker/core/order/order.h"
#include "broker/core/order/partition.h"
#include "broker/core/order/session_order.h"
#include "broker/core/order/track_order.h"
#include "broker/core/queue/found.h"
#include "broker/core/queue/lock_table.h"
#include "broker/core/queue/namespace_size.h"
#include "broker/core/queue/remains.h"
#include "broker/core/queue/resting_lane.h"
#include "broker/core/queue/shared_hints.h"
#include "broker/core/queue/spans.h"
#include "storage/base/status.h"

namespace wharf {

// How much of a lane is kept in memory.
struct LaneLimits {
  WindowLimits window{};
  // Of a lane with sessions, instead.
  SessionLimits sessions{};
  SpanLimits spans{};
  // For how long messages that come behind each other share the hint for their time to live, if
  // they expire as near to each other.
  Duration hint_length = std::chrono::seconds(1);
};

class Lane {
 public:
  // A locked message as the store has it.
  struct LockedRow {
    LockToken token;
    Lock lock;
  };
  // What is loaded at start: never the messages.
  struct Image {
    LaneCounters counters;
    std::vector<LockedRow> locked;
    // Messages that were locked, by locks that cannot be read.
    std::vector<UnreadableMessage> lost_locks{};
    // Of its shelf, in the order of their numbers.
    std::vector<Span> spans{};
    // Of a lane with sessions: those that receivers hold, or that have expired.
    bool has_sessions = false;
    std::vector<LoadedSession> sessions{};
    TrackKind tracks = TrackKind::kNone;
    // Where the numbers of the entity come from; of a main lane.
    bool is_partitioned = false;
    // How often it was loaded before, in this life of the broker.
    std::uint32_t life = 0;
    // Absent: as the counters say.
    std::optional<WrittenUse> written_use{};
  };

  Lane(LaneId id, Image image, const LaneLimits& limits, Watches& watches);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Whether there is nothing in it, all that is counted of it is written, and it is of a kind that
  // can be told in a few words: then these. The image makes the same lane of them again.
  bool Rest(Timestamp now, RestingLane& lane, RestingEntity& entity) const;
  static Image ImageOf(const RestingLane& lane, const RestingEntity& entity, std::uint32_t life);

  const LaneId& id() const { return id_; }
  // Where its rows stand; another one after a purge.
  Shelf shelf() const { return {id_.entity, id_.kind, counters_.generation}; }
  const LaneCounters& counters() const { return counters_; }
  const LockTable& locks() const { return locks_; }
  // What was counted out while its rows may still be there.
  const Spans& spans() const { return spans_; }
  // What is read for it belongs to one life of the lane: another one begins when it is recounted.
  std::uint32_t life() const { return life_; }
  // Null if its messages are in no sessions.
  SessionBook* sessions() { return sessions_; }
  const SessionBook* sessions() const { return sessions_; }

  // A number was used up, here or in another lane of the entity.
  SequenceNumber TakeNumber(PartitionId partition);
  // The one that is next.
  SequenceNumber next_number(PartitionId partition) const {
    return partition == 0 ? counters_.next_number : counters_.next_numbers[partition - 1U];
  }
  // No message of the entity has this number or a higher one.
  SequenceNumber end_number() const {
    return counters_.next_numbers.empty() ? counters_.next_number : counters_.next_numbers.back();
  }
  // A send or receive, or something else that keeps the entity from being idle.
  void NoteAccess(Timestamp now);
  void NoteActivity(Timestamp now);

  // A message comes now, the last of all in its partition.
  void Enqueue(std::shared_ptr<StoredMessage> message, Changes& changes);
  // The same for one that comes from elsewhere; its mover writes the change.
  void Append(const std::shared_ptr<StoredMessage>& message, Changes& changes);
  // A scheduled message came or went; `bytes` is negative when it went.
  void CountScheduled(std::int64_t messages, std::int64_t bytes);
  // One went that could not be read, and nobody knows with how many bytes.
  void CountUnreadableScheduled();
  // The state of a session grew or shrank.
  void CountSessionState(std::int64_t bytes);
  // From now on its bytes are part of `total`; null: no more.
  void CountInto(std::int64_t* total);
  std::int64_t* counted_into() const { return total_; }
  // The same for the size of the namespace.
  void CountIntoNamespace(NamespaceSize* size);
  NamespaceSize* namespace_size() const { return namespace_size_; }

  // Where rows that were read do not agree with what is counted: the first such; Ok if there was
  // none. What memory did by itself is asserted.
  const Status& contradiction() const { return contradiction_; }
  // Something was read into its order: do they agree?
  void CheckRead();
  // A reader found something that cannot be; only the first is remembered.
  void NoteContradiction(const char* what);
  // At the end of each turn that touched it: that nothing in it has drifted.
  void AssertWhole() const;

  // The message the next receiver gets, or that is forwarded next; of the session that is chosen,
  // where there are sessions. Null if there is none or it must be read first.
  const StoredMessage* head(const Session* session) const;
  // The head with its standing.
  std::optional<FoundMessage> FindHead(const Session* session) const;
  // When the lowest message that waits came. Nothing: none does, or it is not in memory; or there
  // are sessions.
  std::optional<Timestamp> oldest() const {
    return has_ready() ? order_->oldest(counters_) : std::nullopt;
  }
  bool has_ready() const { return counters_.fresh + counters_.returned > 0; }
  // In what follows the head is that of the session, if there is one.
  ReadyHead LockHead(Session* session, const LockToken& token, Timestamp until,
                     const LockOwner& owner, Changes& changes);
  ReadyHead ConsumeHead(Session* session, Changes& changes);

  // What follows is for lanes that forward; none with sessions does (FWD-4).

  // Takes the head out to be moved elsewhere; its mover writes the change.
  ReadyHead ExtractHead();
  // The head, a returned message, cannot be moved: it stays where it is, and what comes behind it
  // is next, until DropWindow.
  void PassHead() { open_order_->PassNext(); }
  // How many were passed so; with sessions none.
  std::size_t passed() const { return open_order_ == nullptr ? 0 : open_order_->passed(); }
  // Whether there is anything that was not.
  bool has_unpassed() const {
    return counters_.fresh + counters_.returned > static_cast<std::int64_t>(passed());
  }
  // Messages that may be the next heads, as far as they are in memory.
  std::vector<MessagePtr> Ahead(std::size_t count_max) const {
    return open_order_->Ahead(count_max);
  }

  // Each token must be in locks(). Where the message goes when the lock ends.
  void Renew(const LockToken& token, Timestamp until, Changes& changes);
  void Complete(const LockToken& token, Changes& changes);
  void Return(const LockToken& token, Delivery delivery, ReturnCause cause, Changes& changes);
  void Delay(const LockToken& token, Delivery delivery, Timestamp available_at, ReturnCause cause,
             Changes& changes);
  void Defer(const LockToken& token, Delivery delivery, ReturnCause cause, Changes& changes);
  // Takes a message out to be moved elsewhere; its mover writes the change.
  Lock Extract(const LockToken& token);

  // Whether messages that were never delivered may be counted out together, when they have expired.
  bool CanExpireRuns() const;
  // To be made longer, message by message.
  MessageRun BeginRun() const { return {.limits = run_limits_}; }
  // Those at the head, as far as they are in memory.
  MessageRun ReadyRun(Timestamp now) const;
  // Counts a run out, of messages that were found to be fresh and still are, if it is long enough
  // or lies at a span, and finds room, for which other spans may be given up; whether it did.
  bool ExpireRun(const MessageRun& run, Timestamp now, Changes& changes);

  // Messages by their numbers, as a reader found them and as they still are (Catalog::HasChanged),
  // and not locked.
  void LockFound(const FoundMessage& found, const LockToken& token, Timestamp until,
                 const LockOwner& owner, Changes& changes);
  void ConsumeFound(const FoundMessage& found, Changes& changes);
  void Remove(const FoundMessage& found, RemovalCause cause, Changes& changes);
  void EndDelay(const FoundMessage& found, Changes& changes);
  void Undefer(const FoundMessage& found, Changes& changes);
  void ExtractFound(const FoundMessage& found, Changes& changes);
  // A scheduled message of the entity changed.
  void NoteScheduled(SequenceNumber number) { watches_.Note(id_, number); }
  // The entity accepted a message id.
  void NoteId(const DuplicateId& id, const KnownId& known) {
    watches_.ids().Note(id_.entity, id, known);
  }

  // A message that cannot be read is taken out of the way of all others. It is not locked.
  void Quarantine(UnreadableMessage message, Timestamp now, Changes& changes);
  // A scheduled message that cannot be read enters the lane, under its new number, and is in
  // quarantine at once.
  void QuarantineScheduled(SequenceNumber number, SequenceNumber scheduled_number,
                           UnreadableScheduled unreadable, Timestamp now, Changes& changes);
  // The same for one that is, by this token.
  void QuarantineLocked(const LockToken& token, std::string reason, Timestamp now,
                        Changes& changes);

  // Takes a message in that was moved here; its mover has written the change.
  void Insert(const MessagePtr& message, const Delivery& delivery, Changes& changes);

  // What a purge would leave of it.
  Remains remains() const;
  // Empties the lane, whatever its depth (PRG-1).
  void Purge(std::uint8_t generation, Changes& changes);
  void PurgeScheduled(Changes& changes);

  // When the next lock ends, of a message or of a session.
  Timestamp next_deadline() const {
    return sessions_ != nullptr ? std::min(locks_.next_deadline(), sessions_->next_deadline())
                                : locks_.next_deadline();
  }
  std::vector<LockToken> TakeEndedLocks(Timestamp now, std::size_t count_max) {
    return locks_.TakeEnded(now, count_max);
  }

  // What to read for its window; nothing if it has none.
  std::optional<WindowRead> NextRead(bool is_wanted);
  // What it could not read goes into quarantine.
  void TakeRead(WindowBatch batch, Timestamp now, Changes& changes);
  void TakeTrackRead(Tracks::Id track, SessionReadBatch batch, Timestamp now, Changes& changes);
  // Null if the lane has none.
  Tracks* tracks() { return tracks_; }
  // Of the messages in memory, but for those of sessions, which have bounds of their own.
  std::size_t window_bytes() const { return open_order_ == nullptr ? 0 : open_order_->bytes(); }
  // The memory that these messages take, about.
  std::size_t window_memory() const {
    if (open_order_ == nullptr) return 0;
    return open_order_->bytes() + open_order_->messages() * kMemoryOfMessage;
  }
  // Not of a lane with sessions.
  void DropWindow() { open_order_->Drop(counters_); }

  // The holders of locks that ended since the last call, one a lock; zero as in lock_table.h.
  std::vector<HolderId> TakeFreedHolders() { return std::exchange(freed_holders_, {}); }

  // Whether messages were moved here since the last call.
  bool TakeArrived() { return std::exchange(has_arrived_, false); }
  // What was counted of the lane's messages when the counters were last written, or loaded.
  const MessageCounts& written_counts() const { return written_counts_; }
  // Whether the counters changed since the last call; if so they go into the commit.
  bool TakeCountersChanged();

 private:
  // Beside its bytes.
  static constexpr std::size_t kMemoryOfMessage = 1024;

  void MakeOrder(Image& image, const LaneLimits& limits);
  // That no span covers the message, which was found.
  void CheckNotExpired(SequenceNumber number);
  ReadyHead PopHead(Session* session);
  // One message less; what a reader found may be more than is counted.
  void CountOut(Standing standing);
  // Adds what came, or, negative, went, as far as there is so much. How much that was.
  std::int64_t Count(std::int64_t& counter, std::int64_t by, const char* what);
  void TakeOut(const FoundMessage& found, Changes& changes);
  // A message leaves its standing out of order.
  void NoteTaken(SequenceNumber number, Standing from);
  bool IsWorthASpan(const MessageRun& run) const;
  void MakeRoomFor(const MessageRun& run, Changes& changes);
  // Whether of the messages from there on, in its partition, those that are not fresh are gone.
  bool KnowsAllFresh(SequenceNumber first) const;
  // What was read before it was counted out.
  template <typename Batch>
  void LeaveOutExpired(Batch& batch) const;
  void EnterQuarantine(UnreadableMessage message, Timestamp now, Changes& changes);
  void CountAgain();
  void EndUncertainty();
  void AddReturned(SequenceNumber number, const Delivery& delivery, const MessageFacts& facts,
                   Changes& changes);
  void AddLock(const LockToken& token, Lock lock);
  Lock RemoveLock(const LockToken& token);
  LaneCounters& change_counters() {
    counters_changed_ = true;
    return counters_;
  }
  // What messages that came, or went, have beside their standing.
  void CountIn(const MessageFacts& facts);
  void CountAway(const MessageFacts& facts);
  void CountSeparateBody(std::int64_t by);
  // Of messages that came, or, negative, went.
  void CountBytes(std::int64_t bytes);
  // They were counted, of whatever kind.
  void AddToTotals(std::int64_t bytes);
  void ShareHint(StoredMessage& message, Changes& changes);

  const LaneId id_;
  const std::uint32_t life_;
  const RunLimits run_limits_;
  Watches& watches_;
  LaneCounters counters_;
  Status contradiction_;
  // As in the row of the counters.
  WrittenUse written_use_;
  MessageCounts written_counts_;
  std::int64_t* total_ = nullptr;
  NamespaceSize* namespace_size_ = nullptr;
  LockTable locks_;
  Spans spans_;
  SharedHints shared_hints_;
  std::unique_ptr<Order> order_;
  // The order for callers that must know its kind; null if it is another.
  OpenOrder* open_order_ = nullptr;
  CursorOrder* cursor_order_ = nullptr;
  Tracks* tracks_ = nullptr;
  SessionBook* sessions_ = nullptr;
  std::vector<HolderId> freed_holders_;
  bool counters_changed_ = false;
  bool has_arrived_ = false;
};

}  // namespace wharf
