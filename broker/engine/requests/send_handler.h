// SendHandler: plans sends.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <vector>

#include "broker/core/queue.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/send_requests.h"

namespace wharf {

class Shard;

class SendHandler {
 public:
  explicit SendHandler(Shard& shard) : shard_(shard) {}

  void Plan(Asked<SendRequest> asked, Turn& turn);

 private:
  // A send that is planned as far as the turns have room.
  struct Sending {
    LaneId lane;
    bool atomic = false;
    std::size_t count = 0;
    // Those that are not planned yet.
    std::vector<Message> messages;
    Answer<SendReceipt> answer;
    // Of the others.
    SendReceipt receipt = {};
  };

  Status CheckCopies(const Queue& queue, std::size_t messages) const;
  void PlanInLine(Queue& queue, LaneId lane, Asked<SendRequest> asked, Turn& turn);
  void PlanSlice(Sending sending, Turn& turn);
  // How many of its messages the turn has room for, at least one.
  std::size_t SliceOf(const Sending& sending, const Queue& queue, const Turn& turn) const;
  void RefuseRest(Sending sending, const Status& reason, Turn& turn);

  Shard& shard_;
};

}  // namespace wharf
