#include "broker/doors/common/health.h"

#include <algorithm>
#include <utility>

namespace wharf {

std::string_view NameOf(Ailment ailment) {
  switch (ailment) {
    case Ailment::kStarting:
      return "starting";
    case Ailment::kStopping:
      return "stopping";
    case Ailment::kClosedLog:
      return "closed-log";
    case Ailment::kFullDisk:
      return "full-disk";
    case Ailment::kSlowDisk:
      return "slow-disk";
    case Ailment::kHungTurn:
      return "hung-turn";
  }
  return "";
}

std::vector<Ailment> AllAilments() {
  std::vector<Ailment> all;
  for (int i = 0; i <= static_cast<int>(Ailment::kHungTurn); ++i)
    all.push_back(static_cast<Ailment>(i));
  return all;
}

bool IsHealedByRestart(Ailment ailment) { return ailment == Ailment::kHungTurn; }

Health::Health(bool is_insecure)
    : is_insecure_(is_insecure), findings_{{Ailment::kStarting, "the broker is starting"}} {}

void Health::Note(Ailment ailment, std::string why) {
  MutexLock lock(mutex_);
  const bool was_well = findings_.empty();
  findings_.insert_or_assign(ailment, std::move(why));
  TellIfChanged(was_well);
}

void Health::Heal(Ailment ailment) {
  MutexLock lock(mutex_);
  const bool was_well = findings_.empty();
  findings_.erase(ailment);
  TellIfChanged(was_well);
}

bool Health::is_well() const {
  MutexLock lock(mutex_);
  return findings_.empty();
}

bool Health::is_alive() const {
  MutexLock lock(mutex_);
  return std::none_of(findings_.begin(), findings_.end(),
                      [](const auto& finding) { return IsHealedByRestart(finding.first); });
}

std::vector<Health::Finding> Health::findings() const {
  MutexLock lock(mutex_);
  std::vector<Finding> findings;
  for (const auto& [ailment, why] : findings_) findings.push_back({ailment, why});
  return findings;
}

void Health::SetPart(Part part) {
  MutexLock lock(mutex_);
  part_ = std::move(part);
}

std::optional<Health::Part> Health::part() const {
  MutexLock lock(mutex_);
  return part_;
}

void Health::SetWatch(Watch watch) {
  MutexLock lock(mutex_);
  watch_ = std::move(watch);
  if (watch_) watch_(findings_.empty());
}

void Health::TellIfChanged(bool was_well) {
  if (watch_ && findings_.empty() != was_well) watch_(findings_.empty());
}

}  // namespace wharf
