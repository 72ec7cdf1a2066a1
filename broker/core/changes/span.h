// Span: a run of a shelf's messages that expired and were counted out together.
//
// Made by a lane that expires a run, kept by it, written as one row of `spans`. What lies under a
// span is not delivered, shown or counted any more, although its rows may still be there: readers
// skip them, and compactions drop them.
//
// Values; used on the shard's thread, by readers and by the threads of the store.
#pragma once

#include <algorithm>
#include <vector>

#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

struct Span {
  // Both in one partition, and counted out unless they are exceptions.
  SequenceNumber first;
  SequenceNumber last;
  // Broker time of the commit that made it, or made it longer.
  Timestamp as_of;
  // Ascending, between `first` and `last`: the span says nothing of them, they may be there or
  // gone.
  std::vector<SequenceNumber> exceptions;

  bool Covers(SequenceNumber number) const {
    return first <= number && number <= last &&
           !std::binary_search(exceptions.begin(), exceptions.end(), number);
  }
  // Whether there is a number that both cover. Costs as much as both have exceptions.
  bool Meets(const Span& other) const;
  friend bool operator==(const Span&, const Span&) = default;
};

}  // namespace wharf
