// DueSweeper: does what the time has come for, in order: drops or dead-letters expired messages,
// activates scheduled ones, ends delays. What expires behind each other goes together (due_runs.h);
// a hint that messages share moves on to those that are left (due_rest.h).
//
// The table `due` holds the hints of each bucket in the order of their times. When the first may be
// due, a reader brings the next ones of all buckets whose time has come, with the messages that
// they speak of; a later turn does what is still to be done, over all buckets in the order of time,
// and drops the hints. One read is under way at a time, and whatever is changed while it runs is
// read again. A turn that was full makes the next read as small as what it had room for, and which
// bucket has the first share of that goes round, so that a backlog in one keeps no other waiting
// for ever. Nothing of what waits is kept in memory, only when to look next. Owned by the Shard,
// used on its thread.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "broker/core/changes/watch.h"
#include "broker/engine/background/due_calendar.h"
#include "broker/engine/background/due_rest.h"
#include "broker/engine/background/due_runs.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/due_reader.h"

namespace wharf {

class DueSweeper final : public TimedWorker, public BusyWorker {
 public:
  // Of the buckets that were ever used: what was done of each. Of messages that share a hint, what
  // expires within `grain` is done together, a little late.
  DueSweeper(const WorkerContext& context, const std::vector<DueHandled>& handled, Duration grain);

  // A hint for this time is part of the turn that is being committed.
  void Note(const DueTime& due) { calendar_.Note(due); }
  // Begins to read if something may be due.
  void PlanDue(Turn& turn) override;
  // kNever while a read is under way.
  Timestamp next_deadline() const override { return is_reading_ ? kNever : calendar_.next(); }
  bool is_busy() const override { return is_reading_; }

 private:
  struct Reading {
    Timestamp now;
    std::vector<DuePlace> places;
    PageWatch watch;
    ShelvesInRuns in_runs;
  };
  using Batches = std::vector<Result<DueBatch>>;
  // Each with the index of its batch.
  using InOrder = std::vector<std::pair<const DueMessage*, std::size_t>>;

  // What is due and was not read yet is a backlog, and may have to stand behind what is awaited.
  void Read(Urgency urgency, Turn& turn);
  bool HasChanged(const DueMessage& due, const PageWatch& watch) const;
  void Take(const Batches& batches, const Reading& reading, Turn& turn);
  // By time, over all batches.
  static InOrder Sort(const Batches& batches);
  // Those that readers made.
  static void HandleRuns(const Batches& batches, const Reading& reading, DueRuns& runs,
                         std::vector<DueRest>& rests, Turn& turn);
  // The first hint of each batch that was left.
  std::vector<std::optional<DueHint>> HandleAll(const Batches& batches, const Reading& reading,
                                                Turn& turn);
  // When and where to look at a bucket next, of which all was read that was due by `now` or as much
  // as its share was.
  void GoOn(const DuePlace& place, const DueBatch& batch, const std::optional<DueHint>& first_left,
            Timestamp now, Turn& turn);
  void Handle(const DueMessage& due, Turn& turn);
  void Contradict(const Shelf& shelf);
  void PassUnreadable(const DueMessage& due, Turn& turn);
  void PassScheduled(const DueMessage& due, Turn& turn);
  bool Expire(const DueMessage& due, Turn& turn);
  bool Activate(const DueMessage& due, Turn& turn);
  bool EndDelay(const DueMessage& due, Turn& turn);

  const WorkerContext context_;
  const Duration grain_;
  DueCalendar calendar_;
  // How many messages are read at one go: about as many as a turn had room for, so that what goes
  // to a topic is not read again and again.
  std::size_t step_;
  ShelvesInRuns in_runs_;
  bool is_reading_ = false;
};

}  // namespace wharf
