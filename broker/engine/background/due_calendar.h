// DueCalendar: when something may be due in which bucket, and where to look for it then.
//
// Nothing of what waits is in it, only one time for each bucket: that of its first hint, or one up
// to which it is known to have none. A bucket in which there never was an entity costs nothing; one
// without hints is looked at from time to time, at distances that double. Owned by the DueSweeper.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "broker/reading/due_reader.h"

namespace wharf {

class DueCalendar {
 public:
  // What was handled of the buckets in which there may be hints.
  explicit DueCalendar(const std::vector<DueHandled>& handled);

  // There is a hint for this time; kNever: there is none.
  void Note(const DueTime& due);
  // Whether there is one in the bucket for an earlier time.
  bool IsNotedBefore(Bucket bucket, Timestamp time) const { return entries_[bucket].next < time; }
  // When something may be due in any bucket; kNever: in none.
  Timestamp next() const { return times_.empty() ? kNever : times_.begin()->first; }

  // Where something may be due by `now`. Each is to be looked at, and to go on, before it comes
  // again. Which one is the first goes round: where there is not enough for all, each has its turn.
  std::vector<DuePlace> TakeDue(Timestamp now);

  // What a look at a bucket showed.
  struct Look {
    // Where the next one begins; nothing: where this one did.
    std::optional<DueHint> position{};
    // That of the first hint which is left; kNever: there is none as far as the look went.
    Timestamp next = kNever;
  };
  void GoOn(const DuePlace& place, const Look& look);
  // It could not be looked at; again from `time` on.
  void Rest(const DuePlace& place, Timestamp time) { Note({place.bucket, time}); }

 private:
  struct Entry {
    DueHint position;
    Timestamp next = kNever;
    // How far ahead the table is searched for the next hint: rows that were deleted cost time too.
    Duration lookahead{};
  };

  std::array<Entry, kBuckets> entries_;
  // Of the buckets that have one.
  absl::btree_set<std::pair<Timestamp, Bucket>> times_;
  // The next look begins with this one or with the first behind it.
  Bucket turn_ = 0;
};

}  // namespace wharf
