// ReadyWindow: the head of a lane in memory; the rest waits in the store.
//
// Receivers take messages in the order of their numbers: *returned* ones, which were delivered or
// moved before and nearly always lie below the cursor, and *fresh* ones from the cursor upwards.
// The window holds the lowest of both, bounded in messages and bytes, and knows how far it reaches:
// below `returned_end_` every returned message is in it, but for those that were passed; below
// `fresh_end_` every fresh one. What it lacks it asks for (NextRead); a reader brings it (Take...).
// One read is under way at a time, and what it brings is checked against what happened meanwhile.
//
// Owned by a Lane, used on the shard's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "broker/core/changes/change.h"
#include "broker/core/queue/message_run.h"

namespace wharf {

// What a reader shall bring. All of it is committed when the reader starts.
struct ReadFresh {
  SequenceNumber from;
  SequenceNumber until;  // exclusive
  std::size_t messages_max = 0;
  std::size_t bytes_max = 0;
};
struct ReadReturned {
  SequenceNumber from;
  std::size_t messages_max = 0;
};
struct ReadContent {
  std::vector<SequenceNumber> numbers;
};
using WindowRead = std::variant<ReadFresh, ReadReturned, ReadContent>;

// A returned message without its content.
struct ReturnedRow {
  SequenceNumber number;
  Delivery delivery;
  MessageFacts facts;
};

// A message that a reader came to and could not read.
struct UnreadableMessage {
  SequenceNumber number;
  std::string reason;
  Standing standing = Standing::kFresh;
  // As far as they are known.
  Delivery delivery{};
  MessageFacts facts{};
  // Its block cannot be read, and it may be gone; it goes on being counted where it stood until all
  // that is there was seen.
  bool is_guess = false;
};

// What a read brought: every fresh message from `from` up to `covered` (exclusive). Those that
// cannot be read are beside the others.
struct FreshBatch {
  SequenceNumber from;
  SequenceNumber covered;
  std::vector<MessagePtr> messages;
  std::vector<UnreadableMessage> unreadable{};
};
struct ReturnedBatch {
  SequenceNumber from;
  SequenceNumber covered;
  std::vector<ReturnedRow> rows;
  std::vector<UnreadableMessage> unreadable{};
};
struct ContentBatch {
  std::vector<MessagePtr> messages;
  std::vector<UnreadableMessage> unreadable{};
};
using WindowBatch = std::variant<FreshBatch, ReturnedBatch, ContentBatch>;

// The next message for a receiver.
struct ReadyHead {
  MessagePtr message;
  Delivery delivery;
  Standing from = Standing::kFresh;
};

// How much of a lane is kept in memory.
struct WindowLimits {
  std::size_t messages_max = 4096;
  std::size_t bytes_max = 4 * 1024 * 1024;
  // The content of returned messages is read ahead for this many.
  std::size_t content_ahead = 512;
};

class ReadyWindow {
 public:
  using Head = ReadyHead;

  // For a lane as it was loaded: nothing is in memory.
  ReadyWindow(const LaneCounters& counters, const WindowLimits& limits);

  // In what follows `counters` are those of the lane before the change that is being made.

  // The lowest message that can be delivered; null if there is none, or if it must be read first.
  const Head* head(const LaneCounters& counters) const;
  // Takes the head out. There must be one.
  Head PopHead(const LaneCounters& counters);
  // The head, a returned message, stays where it is, and will not be the head again until the
  // window is dropped. Costs no memory.
  void PassHead();
  // Messages that were passed so and are still there.
  std::size_t passed() const { return passed_; }
  // Messages that may be the next ones, as far as they are in memory, in the order of their
  // numbers.
  std::vector<MessagePtr> Ahead(std::size_t count_max) const;

  // `message` becomes the last fresh one.
  void AddFresh(const MessagePtr& message, const LaneCounters& counters);
  // A message is available again, or moved here.
  void AddReturned(ReturnedRow row, const LaneCounters& counters);

  // A waiting message is gone, or a receiver took it by its number.
  void Remove(SequenceNumber number, Standing from);

  // Fresh messages at the head that can go together.
  MessageRun ReadyRun(Timestamp now, MessageRun::Between between,
                      const RunLimits& limits = {}) const;
  // Those that the span covers were counted out; `counters` are those after it.
  void RemoveSpan(const Span& span, const LaneCounters& counters);
  // What is being read may hold what was counted out, and no span tells of it any more.
  void DiscardRead() { ++epoch_; }
  // No fresh message is below it.
  SequenceNumber lowest_fresh() const {
    return fresh_.empty() ? fresh_end_ : fresh_.begin()->first;
  }

  // What to read, so that receivers do not wait for it longer than they must; then the read is
  // under way. `is_wanted`: a receiver has credit, or the lane forwards.
  std::optional<WindowRead> NextRead(const LaneCounters& counters, bool is_wanted);
  // What could not be read, and still stands there.
  std::vector<UnreadableMessage> Take(WindowBatch batch, const LaneCounters& counters);

  // How many are there, if all are in memory; of lanes whose counters may hold guesses.
  std::optional<std::int64_t> AllFresh(const LaneCounters& counters) const;
  std::optional<std::int64_t> AllReturned() const;

  // Frees the memory; what was in it is read again when it is wanted. Also after a purge, with the
  // counters that follow it.
  void Drop(const LaneCounters& counters);

  std::size_t bytes() const { return bytes_; }
  std::size_t messages() const { return fresh_.size() + returned_.size(); }

  // What it holds, or knows not to be there, that the counters, as they are now, cannot say; null
  // if they agree. A head that is counted and is not there would be waited for without end.
  const char* Contradiction(const LaneCounters& counters) const;

 private:
  // A returned message; its content is null until it was read.
  struct ReturnedEntry {
    Head head;
    MessageFacts facts;
  };

  bool HasAllReturned(const LaneCounters& counters) const {
    return returned_.size() + passed_ == static_cast<std::size_t>(counters.returned);
  }
  bool HasAllFresh(const LaneCounters& counters) const {
    return fresh_.size() == static_cast<std::size_t>(counters.fresh);
  }
  // Whether the lowest returned message, which must be there, comes before every fresh one; nothing
  // if the fresh ones must be read to tell.
  std::optional<bool> IsReturnedFirst(const LaneCounters& counters) const;
  bool HasRoom() const { return messages() < limits_.messages_max && bytes_ < limits_.bytes_max; }
  void InsertReturned(ReturnedRow row);
  void ForgetReturned();
  std::optional<WindowRead> NextReturnedRead(const LaneCounters& counters) const;
  std::optional<WindowRead> NextContentRead() const;
  std::optional<WindowRead> NextFreshRead(const LaneCounters& counters) const;
  void TakeFresh(FreshBatch& batch, const LaneCounters& counters);
  void TakeReturned(ReturnedBatch& batch);
  void TakeContent(ContentBatch& batch);

  const WindowLimits& limits_;
  absl::btree_map<SequenceNumber, ReturnedEntry> returned_;
  absl::btree_map<SequenceNumber, Head> fresh_;
  SequenceNumber returned_end_;
  SequenceNumber fresh_end_;
  // Returned messages below `passed_end_` that are not in the window because they were passed.
  std::size_t passed_ = 0;
  SequenceNumber passed_end_;
  std::size_t bytes_ = 0;
  bool is_reading_ = false;
  // Rises when the window forgets something that a read under way relies on; that read is then
  // discarded.
  std::uint64_t epoch_ = 0;
  std::uint64_t reading_epoch_ = 0;
  // Returned while a read was under way, which may not have seen them.
  std::vector<ReturnedRow> returned_meanwhile_;
  // Removed while a read was under way, which may still have seen them.
  absl::flat_hash_set<SequenceNumber> removed_meanwhile_;
};

}  // namespace wharf
