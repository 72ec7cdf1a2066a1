// Rows of messages and of their standings, as readers walk them.
//
// Used on reader threads, by broker/reading.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/queue/queue.h"
#include "storage/store.h"

namespace wharf {

// Bodies in rows of their own are read where the message goes to a receiver, unless they are large;
// a worker that moves or judges it leaves them.
enum class Bodies { kLoad, kLeave };

// All standings that have rows in `delivery`.
inline constexpr Standing kStandingsInRows[] = {Standing::kLocked, Standing::kReturned,
                                                Standing::kDelayed, Standing::kDeferred,
                                                Standing::kQuarantined};

Status DamagedKey();

Result<MessagePtr> ToMessage(const StoreView& view, SequenceNumber number, std::string_view record,
                             Bodies bodies);

// A message that was read without its body, with it, as kLoad would have it.
Result<MessagePtr> WithBody(const StoreView& view, MessagePtr message);
// The same without its body, wherever that is; its size stays.
MessagePtr WithoutBody(const MessagePtr& message);

// Those of the messages that are there.
Result<Contents> ReadMessages(const StoreView& view, const Shelf& shelf,
                              const std::vector<SequenceNumber>& numbers, Bodies bodies);
// The same for scheduled ones, without bodies in rows of their own.
Result<Contents> ReadScheduledRows(const StoreView& view, EntityId entity,
                                   const std::vector<SequenceNumber>& numbers);

// Walks the messages of a range of `messages` or `scheduled`.
class MessageCursor {
 public:
  MessageCursor(const StoreView& view, TableId table, const KeyRange& range, Bodies bodies);

  bool valid() const { return rows_->valid(); }
  void Next() { rows_->Next(); }
  Status status() const { return rows_->status(); }
  Result<SequenceNumber> number() const;
  Result<MessagePtr> message() const;

 private:
  const StoreView& view_;
  const TableId table_;
  const Bodies bodies_;
  std::unique_ptr<StoreCursor> rows_;
};

// How a message stands that has a row in `delivery`.
struct StandingRow {
  Standing standing = Standing::kFresh;
  Delivery delivery;
  Timestamp available_at = kNever;
  // kQuarantined: why.
  std::string unreadable{};
  MessageFacts facts{};
};
Result<StandingRow> DecodeStanding(Standing standing, SequenceNumber number,
                                   std::string_view record);

using KeyOfNumber = std::function<std::string(SequenceNumber)>;

// Where `rows`, which cannot be read at `from`, can be read again: the first number for which that
// is so, at most `until`; the cursor stands there. Reads a few blocks, whatever their distance.
SequenceNumber PassDamage(StoreCursor& rows, const KeyOfNumber& key_of, SequenceNumber from,
                          SequenceNumber until);
// Whether a walk has ended because it cannot go on.
inline bool HasMetDamage(const StoreCursor& rows) {
  return !rows.valid() && rows.status().is_damage();
}

// Rows of a range, asked for in ascending order of numbers. Neighbours share a block, so the next
// row is tried first; between others it seeks instead of walking, for deleted rows may lie there.
class RowLookup {
 public:
  using KeyOf = KeyOfNumber;

  RowLookup(std::unique_ptr<StoreCursor> rows, KeyOf key_of);

  // Null if there is none.
  const StoreCursor* Find(SequenceNumber number);
  Status status() const { return rows_->status(); }
  // Where it stands: behind what was asked for last, or at that.
  const StoreCursor& rows() const { return *rows_; }

 private:
  std::unique_ptr<StoreCursor> rows_;
  KeyOf key_of_;
};

// How messages of one lane stand, asked in ascending order of numbers.
class StandingLookup {
 public:
  StandingLookup(const StoreView& view, const Shelf& shelf, SequenceNumber from);

  // kFresh if the number has no row.
  Result<StandingRow> Find(SequenceNumber number);

 private:
  struct Walk {
    Standing standing;
    RowLookup rows;
    // Below it there is no other row: most messages have none, and are not looked for.
    SequenceNumber next{};
  };
  static SequenceNumber NextOf(const Walk& walk, SequenceNumber asked);

  std::vector<Walk> walks_;
};

}  // namespace wharf
