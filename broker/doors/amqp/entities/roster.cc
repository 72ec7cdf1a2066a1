#include "broker/doors/amqp/entities/roster.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "broker/core/entities/names.h"

namespace wharf::amqp {
namespace {

Status InUse(const std::string& path) {
  return {
      ErrorCode::kInvalidOperation,
      fmt::format("{} has a consumer already, and one of the two does not share it", Quoted(path))};
}

}  // namespace

Roster::Place::~Place() { roster_->Leave(*this); }

void Roster::Place::Ready() {
  is_ready_ = true;
  roster_->Ready(path_);
}

bool Roster::Place::is_alone() const {
  MutexLock lock(roster_->mutex_);
  return roster_->entries_.at(path_).places == 1;
}

void Roster::Place::GoesWithIt(EntityKind kind) {
  MutexLock lock(roster_->mutex_);
  roster_->entries_.at(path_).goes_with_it = kind;
}

void Roster::Enter(Requests& requests, std::shared_ptr<void> stay, const std::string& path, Use use,
                   Entered then) {
  const std::string folded = FoldPath(path);
  {
    MutexLock lock(mutex_);
    entries_[folded].waiting.push_back({requests, std::move(stay), use, std::move(then)});
  }
  LetIn(folded);
}

Roster::PlacePtr Roster::TryEnter(Requests& requests, std::shared_ptr<void> stay,
                                  const std::string& path) {
  const std::string folded = FoldPath(path);
  MutexLock lock(mutex_);
  if (entries_.contains(folded)) return nullptr;
  entries_[folded] = {.use = Use::kAlone, .places = 1, .is_busy = true};
  return PlacePtr(new Place(shared_from_this(), requests, std::move(stay), folded));
}

void Roster::ForgetLeftOver() {
  MutexLock lock(mutex_);
  left_over_.clear();
}

void Roster::LetIn(const std::string& path) {
  std::vector<std::pair<Entered, Result<PlacePtr>>> told;
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(path);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    while (!entry.is_busy && !entry.is_going && !entry.waiting.empty()) {
      Waiting next = std::move(entry.waiting.front());
      entry.waiting.pop_front();
      const bool is_shared = entry.use == Use::kShared && next.use == Use::kShared;
      if (entry.places > 0 && !is_shared) {
        told.emplace_back(std::move(next.then), InUse(path));
        continue;
      }
      entry.use = next.use;
      ++entry.places;
      entry.is_busy = true;
      told.emplace_back(std::move(next.then), PlacePtr(new Place(shared_from_this(), next.requests,
                                                                 std::move(next.stay), path)));
    }
  }
  for (auto& [then, place] : told) then(place);
}

void Roster::Ready(const std::string& path) {
  {
    MutexLock lock(mutex_);
    entries_.at(path).is_busy = false;
  }
  LetIn(path);
}

// Whoever leaves before it was ready held the others up.
void Roster::Leave(const Place& place) {
  LeftOver again;
  {
    MutexLock lock(mutex_);
    again.swap(left_over_);
    const auto found = entries_.find(place.path_);
    Entry& entry = found->second;
    --entry.places;
    if (!place.is_ready_) entry.is_busy = false;
    if (entry.places == 0 && entry.goes_with_it.has_value()) {
      again[place.path_] = *entry.goes_with_it;
    } else if (entry.places == 0 && entry.waiting.empty()) {
      entries_.erase(found);
    }
  }
  for (const auto& [left, kind] : again) Remove(left, kind, place.requests_, place.stay_);
  LetIn(place.path_);
}

// Nobody may come in until it is answered. What somebody uses again by now goes with that one.
void Roster::Remove(const std::string& path, EntityKind kind, Requests& requests,
                    std::shared_ptr<void> stay) {
  {
    MutexLock lock(mutex_);
    Entry& entry = entries_[path];
    if (entry.places > 0 || entry.is_going) return;
    entry.is_going = true;
  }
  const Caller caller = DoorItself({.peer = {}, .tracking_id = NewTrackingId()});
  requests.Ask(caller, DeleteEntityRequest{kind, path},
               [self = shared_from_this(), path, kind,
                stay = std::move(stay)](const Result<std::monostate>& removed) {
                 self->OnRemoved(path, kind, removed.status());
               });
}

void Roster::OnRemoved(const std::string& path, EntityKind kind, const Status& removed) {
  const bool is_gone = removed.ok() || removed.code() == ErrorCode::kMessagingEntityNotFound;
  if (!is_gone) {
    spdlog::warn("{} has no user any more and cannot be removed yet: {}", Quoted(path),
                 removed.message());
  }
  {
    MutexLock lock(mutex_);
    if (!is_gone && left_over_.size() < kLeftOverMax) left_over_[path] = kind;
    const auto found = entries_.find(path);
    found->second.is_going = false;
    found->second.goes_with_it.reset();
    if (found->second.waiting.empty()) entries_.erase(found);
  }
  LetIn(path);
}

}  // namespace wharf::amqp
