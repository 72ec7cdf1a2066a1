// Recount: counts an entity from its rows, page by page, and finds the rows that contradict each
// other.
//
// It has bounded memory: sums, and what one page has wrong. A check takes all pages of one view, in
// which counters and rows agree by construction. A repair takes each page from the store as it is,
// while nobody else writes there, and is told what to mend; done twice it finds nothing the second
// time, so it can be begun anew after a crash. What cannot be read ends neither: it is a
// difference, and stays one after a repair; what a repair can know without it is mended. Used by
// one reader thread at a time.
//
// It goes through the phases and tables; the rest is its parts': a MessageRecount judges one
// message, an OrderRecount the rows of an order, a RecountedLane has what came of a lane.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "broker/core/changes/change.h"
#include "broker/core/operations/recount_report.h"
#include "broker/reading/recount/given_numbers.h"
#include "broker/reading/recount/recount_page.h"
#include "broker/reading/recount/recounted_lane.h"
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

  RecountedLane& lane() { return is_dead_letter_ ? dead_letter_ : main_; }
  void EndPhase(Phase next);

  Status Begin(const StoreView& view);
  Status BeginLane(const StoreView& view, RecountedLane& lane) const;
  Status ReadSpansOf(const StoreView& view, RecountedLane& lane);
  Status StepPhase(const RecountPage& page, std::size_t rows_max);
  Status StepMessages(const RecountPage& page, std::size_t rows_max);
  Result<SequenceNumber> NextOf(RowWalk& messages, DeliveryWalk& deliveries);
  std::optional<SequenceNumber> NextGuess(const RowWalk& messages) const;
  Status TakeMessage(const RecountPage& page, SequenceNumber number, RowWalk& messages,
                     DeliveryWalk& deliveries);
  Status StepOrder(const RecountPage& page, std::size_t rows_max);
  Status StepScheduled(const StoreView& view, std::size_t rows_max);
  Result<SequenceNumber> NextScheduled(RowWalk& rows);
  Status TakeScheduled(SequenceNumber number, RowWalk& rows);
  Status StepStates(const StoreView& view, std::size_t rows_max);
  Status TakeState(std::string_view key, std::string_view value);
  // Of a table whose keys have other forms: up to `rows_max`, from where the step before ended.
  // True: that was the end.
  using TakeRow = absl::FunctionRef<Status(std::string_view key, std::string_view value)>;
  Result<bool> StepKeys(const StoreView& view, Table table, KeyRange range, std::size_t rows_max,
                        RecountedLane& lane, TakeRow take);

  EntityRecord record_;
  RecountedLane main_;
  RecountedLane dead_letter_;
  GivenNumbers numbers_;
  Phase phase_ = Phase::kBegin;
  bool is_dead_letter_ = false;
  // Where the phase goes on.
  SequenceNumber from_;
  std::string after_;
  // Of sessions in order: the last one that was offered.
  std::optional<std::string> offered_;
};

}  // namespace wharf
