// RunWalk: the messages that share a hint, as far as they have expired, as runs.
//
// Of what was never delivered, and has its body inside, only the beginnings of rows are read, and
// nothing is made of them but their sums: millions of messages cost the shard one look for each
// run. Whatever is not so, stands otherwise, or comes to too short a run is brought as it is.
// Used on reader threads, by due_reader; sees the store as it was at one instant.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "broker/core/queue/message_run.h"
#include "broker/reading/shared_hint_reader.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "storage/store.h"

namespace wharf {

// As SharedMessages.
struct ExpiredMessages {
  std::vector<MessageRun> runs;
  // Those that are in none.
  std::vector<FoundMessage> messages;
  std::optional<SharedHint> rest;
  // Those that were looked at.
  RowsWalked walked;
};

class RunWalk {
 public:
  // Up to `now`; `bounds` are those of what is brought, of what is walked, and of runs.
  RunWalk(const StoreView& view, const SharedHint& shared, Timestamp now, const DueBounds& bounds,
          const RunLimits& limits);

  // Damage if any row of them is damaged: a careful reader passes it.
  Result<ExpiredMessages> Run();

 private:
  bool is_full() const;
  Status Look();
  // One that the hint stands for, and has expired.
  Status Take(SequenceNumber number, const MessageHead& head);
  Status AddToRun(SequenceNumber number, std::int64_t size);
  void CloseRun();
  // How it stands is known.
  Result<FoundMessage> Found(SequenceNumber number, StandingRow row) const;
  void Leave(SequenceNumber number, Timestamp time);

  const StoreView& view_;
  const SharedHint shared_;
  const Timestamp now_;
  const DueBounds bounds_;
  const std::unique_ptr<StoreCursor> rows_;
  StandingLookup standings_;
  ExpiredMessages read_;
  std::size_t bytes_ = 0;
  MessageRun run_;
  // Those of the run, as long as it is short.
  std::vector<FoundMessage> members_;
  bool is_over_ = false;
};

}  // namespace wharf
