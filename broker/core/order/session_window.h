// SessionWindow: the head of one session, or of a track of a lane, in memory; the rest waits in the
// store.
//
// Holds the lowest messages of a session that wait or are delayed, bounded in number and bytes, and
// knows how far it reaches: below `end_` each such message is in it. What it lacks it asks for
// (NextRead); a reader brings it (Take). One read is under way at a time, and what it brings is
// checked against what happened meanwhile. A delayed message at the head keeps those behind it back
// (RTY-5).
//
// Owned by a SessionBook or by Tracks, used on the shard's thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "broker/core/changes/change.h"
#include "broker/core/order/ready_window.h"

namespace wharf {

// A message of a session that waits, or is delayed.
struct WaitingMessage {
  SequenceNumber number;
  Delivery delivery;
  MessageFacts facts;
  Standing standing = Standing::kFresh;
  // Null until it was read.
  MessagePtr message;
};

// What a reader shall bring, and what it brought: everything there is from `from` up to `covered`.
struct ReadSession {
  // Its id, or the ordering key of a track.
  std::string session;
  SequenceNumber from;
  std::size_t messages_max = 0;
  std::size_t bytes_max = 0;
};
struct SessionBatch {
  SequenceNumber from;
  SequenceNumber covered;
  std::vector<WaitingMessage> messages;
  std::vector<UnreadableMessage> unreadable{};
};
using SessionRead = std::variant<ReadSession, ReadContent>;
using SessionReadBatch = std::variant<SessionBatch, ContentBatch>;

// How much of one session is kept in memory; one message may be larger.
struct SessionWindowLimits {
  std::size_t messages_max = 128;
  std::size_t bytes_max = 256 * 1024;
  // Messages without content are read for so many at the head.
  std::size_t content_ahead = 32;
};

class SessionWindow {
 public:
  // Nothing of the session waits below `floor`.
  explicit SessionWindow(SequenceNumber floor) : end_(floor) {}

  // The lowest message; null if there is none in memory.
  const WaitingMessage* first() const {
    return waiting_.empty() ? nullptr : &waiting_.begin()->second;
  }
  // The same if it can be delivered as it is.
  const WaitingMessage* deliverable() const;
  // The messages in memory, by their numbers.
  const absl::btree_map<SequenceNumber, WaitingMessage>& waiting() const { return waiting_; }
  // Below it all that wait are in memory, but for those that were passed.
  SequenceNumber end() const { return end_; }
  // Whether nothing waits, here or in the store.
  bool is_exhausted() const;
  // Whether a receiver that waits would get something, perhaps after a read.
  bool may_deliver() const { return !is_exhausted() && !is_blocked(); }
  // Nothing waits below it.
  SequenceNumber lower_bound() const;

  // Messages at the head that were never delivered and can go together.
  MessageRun ReadyRun(Timestamp now, MessageRun::Between between,
                      const RunLimits& limits = {}) const;

  WaitingMessage PopFirst();
  // A message waits, or is delayed, from now on.
  void Add(WaitingMessage message, const SessionWindowLimits& limits);
  // One does not any more.
  void Remove(SequenceNumber number);
  // None that the span covers does.
  void RemoveSpan(const Span& span);
  // As of a ReadyWindow.
  void DiscardRead() { ++epoch_; }
  // None up to `through` does.
  void RemoveThrough(SequenceNumber through);
  // None does: the lane was purged.
  void RemoveAll();
  // Frees the memory; what was in it is read again.
  void Drop();
  // The same, from the first message on.
  void Restart();

  // What to read; then the read is under way.
  std::optional<SessionRead> NextRead(const std::string& session,
                                      const SessionWindowLimits& limits);
  // What could not be read, and still waits there.
  std::vector<UnreadableMessage> Take(SessionReadBatch batch, const SessionWindowLimits& limits);
  bool is_reading() const { return is_reading_; }
  // Of the messages in memory.
  std::size_t bytes() const { return bytes_; }

 private:
  bool is_blocked() const { return !waiting_.empty() && first()->standing == Standing::kDelayed; }
  void Insert(WaitingMessage message, const SessionWindowLimits& limits);
  void Erase(SequenceNumber number);
  std::optional<SessionRead> NextContentRead(const SessionWindowLimits& limits) const;
  void TakeMessages(SessionBatch& batch, const SessionWindowLimits& limits);
  void TakeContent(ContentBatch& batch);

  absl::btree_map<SequenceNumber, WaitingMessage> waiting_;
  SequenceNumber end_;
  std::size_t bytes_ = 0;
  bool is_reading_ = false;
  // Rises when the window forgets something that a read under way relies on; that read is
  // discarded.
  std::uint64_t epoch_ = 0;
  std::uint64_t reading_epoch_ = 0;
  // Added or removed while a read was under way, which may not have seen it.
  std::vector<WaitingMessage> added_meanwhile_;
  absl::flat_hash_set<SequenceNumber> removed_meanwhile_;
};

}  // namespace wharf
