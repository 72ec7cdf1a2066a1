// DueSweeper: does what the time has come for, in order: drops or dead-letters expired messages,
// activates scheduled ones, ends delays.
//
// The table `due` holds hints in the order of their times. When the first may be due, a reader
// brings the next ones with the messages that they speak of; a later turn does what is still to be
// done and drops the hints. One read is under way at a time, and whatever is changed while it runs
// is read again. Nothing of what waits is kept in memory, only when to look next. Owned by the
// Shard, used on its thread.
#pragma once

#include <memory>
#include <utility>

#include "broker/core/changes/watch.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/due_reader.h"

namespace wharf {

class DueSweeper final : public TimedWorker, public BusyWorker {
 public:
  // Everything before `handled_until` was done.
  DueSweeper(const WorkerContext& context, Timestamp handled_until);

  // A hint for this time is part of the turn that is being committed.
  void Note(Timestamp due);
  // Begins to read if something may be due.
  void PlanDue(Turn& turn) override;
  // kNever while a read is under way.
  Timestamp next_deadline() const override { return is_reading_ ? kNever : next_; }
  bool is_busy() const override { return is_reading_; }

 private:
  struct Reading {
    Timestamp now;
    Timestamp horizon;
    std::size_t messages_max;
    PageWatch watch;
  };

  void Read(Turn& turn);
  void Take(Result<DueBatch> batch, const Reading& reading, Turn& turn);
  void Handle(const DueMessage& due, Turn& turn);
  bool Expire(const DueMessage& due, Turn& turn);
  bool Activate(const DueMessage& due, Turn& turn);
  bool EndDelay(const DueMessage& due, Turn& turn);

  const WorkerContext context_;
  DueHint position_;
  Timestamp next_;
  // How far ahead the table is searched for the next hint: rows that were deleted cost time too.
  Duration lookahead_;
  // How many messages are read at one go: about as many as a turn had room for, so that what goes
  // to a topic is not read again and again.
  std::size_t step_;
  bool is_reading_ = false;
};

}  // namespace wharf
