// SharedHints: which messages of a lane share the hint that tells when they expire.
//
// A hint is a row for the sweeper. Where messages come behind each other and live equally long, as
// under one time to live for a queue, those that come within a second have one together: from the
// first of them on something expires. A message shares one if it expires no sooner than the last
// that did and within a second of the first, and if the hint's time has not come: from then on the
// sweeper moves it on. The first of its kind has a hint of its own, and the second begins to share,
// so that mixed times to live cost what they did, and never more looks than messages. Behind so
// many numbers another hint is shared: as many rows are walked when it is due, although they may be
// those of messages that are gone.
//
// What is open is in memory only. A start begins anew, and what was shared before stays so by its
// rows. Owned by a Lane, used on the shard's thread.
#pragma once

#include <cstddef>
#include <vector>

#include "broker/core/changes/change.h"

namespace wharf {

class SharedHints {
 public:
  // Open ones of a lane: as many times to live, or partitions, can take turns.
  static constexpr std::size_t kOpenMax = 16;
  // From the first number to the last.
  static constexpr std::uint64_t kNumbersMax = 4096;

  // For how long messages come that share one, and how far behind the first the last expires.
  explicit SharedHints(Duration length) : length_(length) {}

  // Whether the message, which comes to the lane now, shares a hint; if it is the first, the change
  // is written.
  bool Take(const Shelf& shelf, const StoredMessage& message, Changes& changes);
  // Whether what comes now, or later, may share one that is open already.
  bool HasOpen(Timestamp now) const;
  // The lane was purged.
  void Clear() { open_.clear(); }

 private:
  struct Open {
    SharedHint shared;
    // No message that shares it expires sooner than the last.
    Timestamp last;
    // Whether there is such a row; before, the first of its kind has a hint of its own.
    bool is_written = false;
  };

  static bool IsOpenAt(const Open& open, Timestamp now);
  // Whether it can be shared by what comes now, in the partition of the message.
  static bool IsOpenFor(const Open& open, const StoredMessage& message);
  Open Begin(const Shelf& shelf, const StoredMessage& message) const;

  const Duration length_;
  // Those that were used last come first. Of those that can be shared at the same time in the same
  // partition none means what another one does: so by its times each message has one of them.
  std::vector<Open> open_;
};

}  // namespace wharf
