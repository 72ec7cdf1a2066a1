// SharedSettings: descriptions without names, each once for all entities that are described so.
//
// Ten thousand entities have few kinds of settings among them. Only those that were asked for last
// are compared; what is described as nothing else is has its own. Owned by the Catalog, used on the
// shard's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "broker/core/entities/queue_description.h"

namespace wharf {

using SettingsPtr = std::shared_ptr<const QueueDescription>;

class SharedSettings {
 public:
  static constexpr std::size_t kKeptMax = 8;

  // The same as `description`, without its name.
  SettingsPtr Share(QueueDescription description);

 private:
  // The last ones, the newest first.
  std::deque<SettingsPtr> kept_;
};

}  // namespace wharf
