// EntryIndex: where each entry of a log stands on disk, and of which term it is. In memory: eight
// bytes for an entry, and as much as nothing for its term.
//
// Part of a SegmentLog; used on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "storage/entry_log.h"

namespace wharf {

struct EntryPlace {
  std::uint32_t segment = 0;  // Its number.
  std::uint32_t offset = 0;
};

class EntryIndex {
 public:
  // Forgets all; the next entry follows this one.
  void BeginAt(const LogPlace& start);
  // An entry behind the start, at most one behind the last: it takes the place of what stands there
  // and of all behind it.
  void Add(const LogPlace& entry, EntryPlace place);
  // Forgets the entries up to this one, which is in the log.
  void CutUpTo(std::uint64_t index);

  const LogPlace& start() const { return start_; }
  std::uint64_t last() const { return start_.index + places_.size(); }
  // From the start to the last.
  std::uint64_t TermOf(std::uint64_t index) const;
  EntryPlace PlaceOf(std::uint64_t index) const { return places_[index - start_.index - 1]; }

 private:
  // Entries from here on are of this term.
  struct TermRun {
    std::uint64_t first = 0;
    std::uint64_t term = 0;
  };

  void CutFrom(std::uint64_t index);

  LogPlace start_;
  std::deque<EntryPlace> places_;
  std::deque<TermRun> terms_;  // In order; the first may begin before the log does.
};

}  // namespace wharf
