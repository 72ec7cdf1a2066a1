// The same reads as those of message_reader and session_reader, where these have met damage:
// message by message, past what cannot be read.
//
// Slower by far, and only asked after a read that failed with damage. What stands in a block that
// cannot be read is known by its number alone: where numbers follow each other each of them is
// looked up, and the filter of its file answers for those that were never there. Used on reader
// threads; each call sees the store as it was at one instant.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/core/order/ready_window.h"
#include "broker/core/order/session_window.h"
#include "broker/core/queue/queue.h"
#include "broker/schema/message_rows.h"
#include "storage/store.h"

namespace wharf {

// The message at this number, as it stands; with a reason if it cannot be read. Nothing if there is
// none.
Result<std::optional<FoundMessage>> LookAt(const StoreView& view, const Shelf& shelf,
                                           SequenceNumber number, Bodies bodies);

// As a FoundMessage says it, for quarantine.
UnreadableMessage UnreadableOf(const FoundMessage& found);

// The numbers of some rows, in order, past what cannot be read.
class NumberWalk {
 public:
  enum class InDamage {
    kEach,  // Each number in between, for LookAt.
    kPass,  // None of them.
  };
  // Of `messages`.
  static NumberWalk OfMessages(const StoreView& view, const Shelf& shelf, SequenceNumber from,
                               SequenceNumber until, InDamage in_damage);
  static NumberWalk OfQuarantine(const StoreView& view, const Shelf& shelf, SequenceNumber from);
  // Of `scheduled`.
  static NumberWalk OfScheduled(const StoreView& view, EntityId entity, SequenceNumber from,
                                SequenceNumber until);

  // Nothing at the end, or if the walk cannot go on.
  std::optional<SequenceNumber> Next();
  Status status() const;

 private:
  using NumberOfKey = std::optional<SequenceNumber> (*)(std::string_view key);

  NumberWalk(std::unique_ptr<StoreCursor> rows, KeyOfNumber key_of, NumberOfKey number_of,
             SequenceNumber from, SequenceNumber until, InDamage in_damage)
      : rows_(std::move(rows)),
        key_of_(std::move(key_of)),
        number_of_(number_of),
        until_(until),
        in_damage_(in_damage),
        next_(from) {}

  const std::unique_ptr<StoreCursor> rows_;
  const KeyOfNumber key_of_;
  const NumberOfKey number_of_;
  const SequenceNumber until_;
  const InDamage in_damage_;
  // Where it is, and up to where no row can be read.
  SequenceNumber next_;
  SequenceNumber damage_end_;
  bool is_over_ = false;
  bool has_bad_key_ = false;
};

Result<FreshBatch> ReadFreshCarefully(const StoreView& view, const Shelf& shelf,
                                      const ReadFresh& read);
Result<ReturnedBatch> ReadReturnedCarefully(const StoreView& view, const Shelf& shelf,
                                            const ReadReturned& read);
Result<ContentBatch> ReadContentCarefully(const StoreView& view, const Shelf& shelf,
                                          const ReadContent& read);
Result<SessionBatch> ReadSessionCarefully(const StoreView& view, const Shelf& shelf,
                                          const ReadSession& read);
Result<FoundMessages> ReadFoundCarefully(const StoreView& view, const Shelf& shelf,
                                         const std::vector<SequenceNumber>& numbers, Bodies bodies);

}  // namespace wharf
