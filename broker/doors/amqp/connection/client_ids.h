// ClientIds: which container-ids connections have, and which of them alone: a JMS client id is one
// connection's (doors.md, section 16).
//
// It counts from when its connection has proven a right: a stranger, who may say any id, keeps
// nobody out. One for all connections of a server, where JMS is served; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "storage/base/mutex.h"

namespace wharf::amqp {

class ClientIds {
 public:
  // A connection has it for as long as this lives; ClientIds outlives it.
  class Held {
   public:
    Held(ClientIds& ids, std::string id) : ids_(ids), id_(std::move(id)) {}
    ~Held() { ids_.GiveBack(id_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    ClientIds& ids_;
    const std::string id_;
  };

  // Null: another connection has it, and one of the two wants to have it alone.
  std::unique_ptr<Held> Take(const std::string& id, bool is_sole);
  // Whether it would be given now.
  bool IsFree(const std::string& id, bool is_sole) const;

 private:
  struct Holders {
    std::size_t count = 0;
    // Then there is one.
    bool is_sole = false;
  };

  void GiveBack(const std::string& id);

  mutable Mutex mutex_;
  absl::flat_hash_map<std::string, Holders> holders_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::amqp
