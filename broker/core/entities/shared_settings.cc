#include "broker/core/entities/shared_settings.h"

#include <algorithm>
#include <utility>

namespace wharf {

SettingsPtr SharedSettings::Share(QueueDescription description) {
  description.name.clear();
  const auto known = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const SettingsPtr& each) { return *each == description; });
  if (known != kept_.end()) return *known;
  if (kept_.size() == kKeptMax) kept_.pop_back();
  return kept_.emplace_front(std::make_shared<const QueueDescription>(std::move(description)));
}

}  // namespace wharf
