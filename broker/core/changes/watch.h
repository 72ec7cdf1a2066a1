// Watches: notice which messages change while a reader looks at them.
//
// The shard never waits for the disk, so what is asked for is read first and planned with later.
// Each read has a watch, begun in the turn before it; a message that the watch saw changed is no
// longer as the reader found it. A NumberWatch is of messages that are known by their numbers, a
// PageWatch of whatever a reader may find. However many watches there are, a change costs one look
// at the watches of its number, and one note for all pages together; what expires together is noted
// when its span is given up, because until then the lane knows it (Catalog::HasChanged). Owned by
// the Catalog, used on the shard's thread; a watch itself lives as long as its reader wants, and
// ends on any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/changes/change.h"
#include "broker/core/messages/known_ids.h"

namespace wharf {

class NumberWatch {
 public:
  // Whether any of its messages changed.
  bool saw_any() const;

 private:
  friend class Watches;
  // Each is shared by all that ask for the same message.
  std::vector<std::shared_ptr<const bool>> asked_;
};

// What changed since the first of the pages that are being read now was begun.
struct ChangeNotes {
  // Changes so far, and up to which change they were forgotten.
  std::uint64_t last = 0;
  std::uint64_t forgotten = 0;
  // In order, so that those between two numbers are found.
  absl::btree_map<std::pair<LaneId, SequenceNumber>, std::uint64_t> messages{};
  absl::flat_hash_map<LaneId, std::uint64_t> lanes{};
  // What was counted out together, as it came, and how much there is to be said of it.
  absl::flat_hash_map<LaneId, std::vector<std::pair<std::uint64_t, Span>>> spans{};
  std::size_t span_bounds = 0;
};

class PageWatch {
 public:
  bool Saw(LaneId lane, SequenceNumber number) const;
  // Whether any changed of the messages that the span covers, whose rows the reader found; perhaps
  // not, where very many changed from its first to its last.
  bool SawAny(LaneId lane, const Span& span) const;
  // More changed than is remembered: the page must be read again, for it saw everything.
  bool is_lost() const { return begun_ < notes_->forgotten; }

 private:
  friend class Watches;

  // Notes of messages that are looked at for a span.
  static constexpr std::size_t kLooksMax = 1024;

  bool SawAll(LaneId lane) const;
  bool SawMessageOf(LaneId lane, const Span& span) const;
  // Whether of what was counted out together since it was begun this is true of any.
  template <typename IsMeant>
  bool SawSpan(LaneId lane, IsMeant is_meant) const;

  std::shared_ptr<const ChangeNotes> notes_;
  std::uint64_t begun_ = 0;
};

class Watches {
 public:
  // Notes of messages, of lanes, and of the ends and exceptions of spans, each: some 20 MB.
  static constexpr std::size_t kNotesMax = 262144;

  explicit Watches(std::size_t notes_max = kNotesMax) : notes_max_(notes_max) {}

  NumberWatch Begin(LaneId lane, const std::vector<SequenceNumber>& numbers);
  PageWatch BeginPage();

  void Note(LaneId lane, SequenceNumber number);
  // What the span covers is gone, and from now on its lane does not know it.
  void NoteSpan(LaneId lane, const Span& span);
  // Nothing in the lane is as it was: a purge.
  void NoteAll(LaneId lane);

  // The same for message ids.
  IdWatches& ids() { return ids_; }

 private:
  static constexpr std::size_t kSweepAtLeast = 1024;
  using Asked = absl::flat_hash_map<SequenceNumber, std::weak_ptr<bool>>;

  std::shared_ptr<bool> Ask(Asked& asked, SequenceNumber number);
  static void Mark(const std::weak_ptr<bool>& asked);
  // Those that are asked for and meant.
  template <typename IsMeant>
  void MarkAll(LaneId lane, IsMeant is_meant) const;
  void BoundNotes(ChangeNotes& notes) const;
  void Sweep();

  const std::size_t notes_max_;
  // Numbers that no watch asks for any more go with the next sweep.
  absl::flat_hash_map<LaneId, Asked> asked_;
  std::size_t asked_count_ = 0;
  std::size_t sweep_at_ = kSweepAtLeast;
  // Owned by the pages that are being read.
  std::weak_ptr<ChangeNotes> notes_;
  IdWatches ids_;
};

}  // namespace wharf
