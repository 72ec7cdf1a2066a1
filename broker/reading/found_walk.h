// FoundWalk: the messages of a range with how they stand, in the order of their numbers.
//
// Each row is read once, until the walk meets damage: from there on it goes by numbers, past what
// cannot be read. Used on reader threads, by shared_hint_reader; sees the store as it was at one
// instant.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "broker/core/queue/queue.h"
#include "broker/reading/careful_reader.h"
#include "broker/schema/message_rows.h"
#include "storage/store.h"

namespace wharf {

class FoundWalk {
 public:
  // Bodies in rows of their own are left.
  FoundWalk(const StoreView& view, const Shelf& shelf, SequenceNumber from, SequenceNumber until);

  // The next one, which may be one that cannot be read; nothing at the end.
  Result<std::optional<FoundMessage>> Next();

 private:
  Result<std::optional<FoundMessage>> NextRow();
  Result<std::optional<FoundMessage>> NextByNumber();
  Status LookUp();

  const StoreView& view_;
  const Shelf shelf_;
  const SequenceNumber until_;
  MessageCursor rows_;
  StandingLookup standings_;
  SequenceNumber next_;
  // Behind the first damage.
  std::unique_ptr<NumberWalk> numbers_;
  std::deque<FoundMessage> looked_up_;
};

}  // namespace wharf
