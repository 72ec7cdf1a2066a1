// Tracks: the waiting messages of a lane that are delivered in several orders beside each other.
//
// A track is a level of an entity with priorities (PRI-1), or a partition of a partitioned one
// (PAR-4). Each keeps its own order, and its messages stand in the table `order` as those of a
// session do; of each there is a window in memory. Which track is served next is decided here: the
// highest level, but not always (PRI-2), or the partitions by turns.
//
// Owned by a Lane, used on the shard's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "broker/core/order/session_window.h"

namespace wharf {

// Which tracks an entity has, and which track is served next.
enum class TrackKind : std::uint8_t {
  kNone,        // The lane has no tracks.
  kLevels,      // The highest.
  kPartitions,  // One after the other.
};

class Tracks {
 public:
  using Id = std::uint8_t;

  // `is_empty`: nothing waits; then nothing has to be read.
  Tracks(TrackKind kind, bool is_empty, const WindowLimits& limits);

  // The message that the next receiver gets; null if there is none, or if it must be read first.
  const WaitingMessage* head() const;
  // Takes it out. There must be one.
  WaitingMessage PopHead();
  // The head stays where it is, and will not be the head again until its track is dropped. Costs no
  // memory.
  void PassHead();
  // Messages that were passed so and are still there.
  std::size_t passed() const;
  // When the one came that came first of all tracks. Nothing: none waits, or one that may be it is
  // not in memory.
  std::optional<Timestamp> oldest() const;
  // Messages that may be the next ones, as far as they are in memory; the head is the first.
  std::vector<MessagePtr> Ahead(std::size_t count_max) const;

  // Those at the head of the track that is served next which can go together.
  MessageRun ReadyRun(Timestamp now, MessageRun::Between between,
                      const RunLimits& limits = {}) const;
  // Whether numbers rise along a track without those of other tracks between them.
  bool has_own_numbers() const { return kind_ == TrackKind::kPartitions; }

  // A message waits from now on, or does not any more; each says its track in its facts.
  void Add(WaitingMessage message);
  void Remove(SequenceNumber number, const MessageFacts& facts);
  // Those that the span covers do not any more. Nothing was passed.
  void RemoveSpan(const Span& span);
  // As of a ReadyWindow.
  void DiscardReads();
  // The lane was purged.
  void RemoveAll();
  // Frees the memory; what was in it is read again when it is wanted, and what was passed, too.
  void Drop();

  // What to read; then it is under way.
  std::vector<std::pair<Id, SessionRead>> NextReads();
  // What could not be read.
  std::vector<UnreadableMessage> TakeRead(Id track, SessionReadBatch batch);

  // Of the messages in memory, and how many they are.
  std::size_t bytes() const { return bytes_; }
  std::size_t messages() const;

  // As of a ReadyWindow.
  const char* Contradiction(const LaneCounters& counters) const;

 private:
  struct Track {
    SessionWindow window{SequenceNumber()};
    // Messages below `passed_end` that are not in the window because they were passed.
    std::size_t passed = 0;
    SequenceNumber passed_end;
  };

  static bool HasWaiting(const Track& track) { return !track.window.is_exhausted(); }
  WaitingMessage PopFirst(Id track);
  // The track that is served next; nothing if that is none, or not known yet.
  std::optional<Id> Next() const;
  std::optional<Id> NextLevel() const;
  std::optional<Id> NextPartition() const;
  // The level below `top` whose first message has waited longest; nothing if none waits there.
  // False: something must be read to tell.
  bool FindOldestBelow(Id top, std::optional<Id>& oldest) const;
  bool HasWaitingBelow(Id top) const;
  static void Restart(Track& track);
  SessionWindowLimits window_limits() const;
  // Keeps count of what the window holds.
  template <typename Change>
  void ChangeWindow(Id track, Change change);

  const TrackKind kind_;
  const WindowLimits& limits_;
  // By their numbers.
  std::vector<Track> tracks_;
  std::size_t bytes_ = 0;
  // Levels: deliveries in a row that passed over a lower level.
  int passed_over_ = 0;
  // Partitions: whose turn it is.
  Id turn_ = 0;
};

}  // namespace wharf
