// LiveProcesses: which process speaks for each node right now, so that a copy of a folder is found
// out: a second process under the same id is refused while the first is there.
//
// Each stream of a process holds on to it; when the last is gone, another may come. Used on the
// strand of the peers.
#pragma once

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "replication/peers/admission/hello.h"
#include "storage/base/status.h"

namespace wharf {

class LiveProcesses {
 public:
  struct Process {
    Incarnation incarnation;
    std::string where;  // The other end of its first stream.
  };
  using Presence = std::shared_ptr<const Process>;

  // `name` is for the sentence that refuses it.
  Result<Presence> Enter(NodeId node, const std::string& name, Incarnation incarnation,
                         const std::string& where);

 private:
  // As many as ever were members at the same time; bounded by the members.
  absl::flat_hash_map<NodeId, std::weak_ptr<const Process>> processes_;
};

}  // namespace wharf
