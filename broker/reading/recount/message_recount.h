// MessageRecount: counts one message by its row and those that it has in `delivery`.
//
// Made by a Recount for each number at which any of them is, on a reader thread.
#pragma once

#include "broker/reading/recount/delivery_walk.h"
#include "broker/reading/recount/message_row.h"
#include "broker/reading/recount/recount_page.h"

namespace wharf {

class MessageRecount {
 public:
  MessageRecount(const RecountPage& page, SequenceNumber number, MessageRow message,
                 FoundStandings standings);

  Status Count();

 private:
  // Each finds rows that should not be, and drops them.
  void DropUnreadable();
  Status DropWithoutMessage();
  void DropAllButTheFirst();
  Result<bool> DropIfUnheld();

  Standing TakeStanding(bool lost_its_row);
  void Drop(Standing standing) const { page_.Drop(standing, number_); }

  const RecountPage& page_;
  RecountedLane& lane_;
  const SequenceNumber number_;
  MessageRow message_;
  FoundStandings standings_;
};

}  // namespace wharf
