// DiskRoom: whether there is room on the disk for what is to be stored.
//
// A plain value; asked by workers and handlers on the shard's thread.
#pragma once

#include "storage/disk/disk_gate.h"

namespace wharf {

class DiskRoom {
 public:
  // Null: nobody looks at the disk, and there is always room.
  explicit DiskRoom(const DiskGate* gate) : gate_(gate) {}

  // Ok, or QuotaExceeded: the disk is nearly full.
  Status Check() const { return gate_ == nullptr ? Status() : gate_->CheckRoom(); }
  bool has_room() const { return gate_ == nullptr || gate_->has_room(); }

 private:
  const DiskGate* gate_;
};

}  // namespace wharf
