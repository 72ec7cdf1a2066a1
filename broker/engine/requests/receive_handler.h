// ReceiveHandler: attaches receivers, those that stay and those that leave with one answer.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <memory>

#include "broker/engine/delivery/receiver.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/requests/receiver_link.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/receive_requests.h"

namespace wharf {

class Shard;

class ReceiveHandler {
 public:
  explicit ReceiveHandler(Shard& shard) : shard_(shard) {}

  // `id` is that of its receiver then, as long as it waits.
  void Plan(Asked<ReceiveRequest> asked, HolderId& id, Turn& turn);
  void EndWait(HolderId id, Turn& turn);

  void Plan(Asked<AttachRequest> asked, std::shared_ptr<DeliverySink> sink, ReceiverLink& link,
            Turn& turn);

 private:
  Shard& shard_;
};

}  // namespace wharf
