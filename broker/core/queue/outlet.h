// Outlet: where the messages of a topic go, instead of waiting in a lane of its own.
//
// A topic is a Queue with an outlet: it checks, numbers and schedules messages, and remembers their
// ids, as every queue does; what would then enter its main lane goes out here, as part of the same
// list of changes. Called on the shard's thread.
#pragma once

#include <cstdint>
#include <memory>

#include "broker/core/changes/change.h"
#include "storage/base/status.h"

namespace wharf {

class Outlet {
 public:
  virtual ~Outlet() = default;

  // Whether messages may go out at all.
  virtual Status Check() const = 0;
  // Whether anyone would take the message (TOP-3), which has its time to live and no number yet.
  virtual bool HasTaker(const Message& message, Timestamp now) = 0;
  // Makes the copies. `published` says where the message comes from; its `copies` are counted here.
  virtual void Publish(MessagePublished published, Timestamp now, Changes& changes) = 0;
  // Bytes of all copies, as they count toward the topic's quota (TOP-4).
  virtual std::int64_t bytes() const = 0;
};

}  // namespace wharf
