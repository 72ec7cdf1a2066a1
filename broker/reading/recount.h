// Recount: counts an entity from its rows, page by page, and finds the rows that contradict each
// other.
//
// It has bounded memory: sums, and what one page has wrong. A check takes all pages of one view, in
// which counters and rows agree by construction. A repair takes each page from the store as it is,
// while nobody else writes there, and is told what to mend; done twice it finds nothing the second
// time, so it can be begun anew after a crash. What cannot be read ends neither: it is a
// difference, and stays one after a repair; what a repair can know without it is mended. Used by
// one reader thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/changes/change.h"
#include "broker/core/operations/recount_report.h"
#include "broker/core/order/partition.h"
#include "broker/reading/row_walk.h"
#include "storage/store.h"

namespace wharf {

class Recount {
 public:
  // `now` bounds the numbers that the entity may have given.
  Recount(EntityRecord record, Timestamp now);

  // Takes about `rows_max` more. True: that was the end. `mends`: adds what has to be changed; null
  // if nothing is to be.
  Result<bool> Step(const StoreView& view, std::size_t rows_max, std::vector<RowsMended>* mends);

  // When it is at its end.
  RecountReport Report() const;
  // As they are to be, main lane and dead-letter queue.
  LaneCounters CountersOf(LaneKind kind) const;

 private:
  enum class Phase : std::uint8_t { kBegin, kMessages, kOrder, kScheduled, kStates, kEnd };
  using Mends = std::vector<RowMend>;
  // Of five standings, of messages and of scheduled ones.
  static constexpr std::size_t kWalks = 7;

  // What there is of one lane.
  struct Part {
    Shelf shelf;
    // Nothing: the row cannot be read.
    std::optional<LaneCounters> stored;
    LaneCounters counted;
    std::optional<SequenceNumber> lowest_fresh;
    std::int64_t rows_without_message = 0;
    std::int64_t rows_too_many = 0;
    std::int64_t rows_unreadable = 0;
    std::int64_t rows_missing = 0;
    // Messages that wait in an order and have no row there, or one with another standing.
    std::int64_t order_wrong = 0;
    // Rows of `order` that messages have, and all there are.
    std::int64_t order_of_messages = 0;
    std::int64_t order_rows = 0;
    // Stretches of rows that cannot be read, and up to where they were counted in each walk.
    std::int64_t damaged_places = 0;
    std::array<SequenceNumber, kWalks> damage_noted{};
    // Outside of quarantine.
    std::int64_t messages_unreadable = 0;
    std::int64_t scheduled_unreadable = 0;
  };
  // The rows of one number in `delivery`.
  struct Standings;
  class DeliveryWalk;

  Part& part() { return is_dead_letter_ ? dead_letter_ : main_; }
  bool HasCursor(const Part& part) const;
  void NoteNumber(SequenceNumber number);
  SequenceNumber NextNumber(PartitionId partition, SequenceNumber stored) const;

  Status Begin(const StoreView& view);
  Status FindShelf(const StoreView& view, Part& part) const;
  static RowWalk MessagesOf(const StoreView& view, const Shelf& shelf, SequenceNumber from);
  std::optional<SequenceNumber> FirstGiven(SequenceNumber from, SequenceNumber until) const;
  std::optional<SequenceNumber> NextGuess(const RowWalk& messages) const;
  static void NoteDamage(Part& lane, std::size_t walk, const RowWalk& rows);
  Status StepMessages(const StoreView& view, std::size_t rows_max, Mends* mends);
  Status StepMessage(const StoreView& view, SequenceNumber number, RowWalk& messages,
                     DeliveryWalk& deliveries, Mends* mends);
  Status Judge(const StoreView& view, SequenceNumber number, const MessageFacts* facts,
               Standings& standings, Mends* mends);
  Status CheckOrder(const StoreView& view, SequenceNumber number, const MessageFacts& facts,
                    Standing standing, Mends* mends);
  Status StepOrder(const StoreView& view, std::size_t rows_max, Mends* mends);
  Status CountLost(const StoreView& view, SequenceNumber number, const Result<Standing>& standing);
  Status MendOrder(const StoreView& view, const std::string& session, SequenceNumber number,
                   std::string_view value, Mends& mends);
  static Result<Standing> StandingOf(const StoreView& view, const Shelf& shelf,
                                     SequenceNumber number);
  Status StepScheduled(const StoreView& view, std::size_t rows_max);
  Status StepStates(const StoreView& view, std::size_t rows_max);
  // Whether a receiver holds the session.
  Result<bool> IsHeld(const StoreView& view, const std::string& session) const;
  void Compare(const Part& part, std::vector<RecountDifference>& differences) const;
  void EndPhase(Phase next);

  EntityRecord record_;
  Timestamp now_;
  Part main_;
  Part dead_letter_;
  Phase phase_ = Phase::kBegin;
  bool is_dead_letter_ = false;
  // Where the phase goes on.
  SequenceNumber from_;
  std::string after_;
  // Of sessions in order: the last one that was offered.
  std::optional<std::string> offered_;
  std::int64_t messages_ = 0;
  // The highest number that was seen in each partition.
  std::map<PartitionId, SequenceNumber> highest_;
};

}  // namespace wharf
