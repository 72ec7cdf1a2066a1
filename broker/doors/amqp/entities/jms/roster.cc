#include "broker/doors/amqp/entities/jms/roster.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "broker/core/entities/names.h"
#include "broker/doors/amqp/jms/subscription_name.h"

namespace wharf::amqp {
namespace {

// Of a topic the case is no matter.
std::string SpelledIn(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Status InUse(const std::string& path) {
  return {
      ErrorCode::kInvalidOperation,
      fmt::format("{} has a consumer already, and one of the two does not share it", Quoted(path))};
}

Status TooMany(const std::string& path) {
  return {ErrorCode::kQuotaExceeded,
          fmt::format("too many wait to use {} already: try again later", Quoted(path))};
}

}  // namespace

Roster::Place::~Place() { roster_->Leave(*this); }

void Roster::Place::Ready() {
  is_ready_ = true;
  roster_->Ready(path_);
}

void Roster::Place::HoldOthers() {
  is_ready_ = false;
  MutexLock lock(roster_->mutex_);
  roster_->entries_.at(path_).is_busy = true;
}

std::size_t Roster::Place::count() const {
  MutexLock lock(roster_->mutex_);
  return roster_->entries_.at(path_).places;
}

void Roster::Place::GoesWithIt(EntityKind kind) {
  MutexLock lock(roster_->mutex_);
  roster_->entries_.at(path_).goes_with_it = kind;
}

Roster::TurnPtr Roster::Enter(Requests& requests, std::shared_ptr<void> stay,
                              const std::string& path, Use use, Entered then) {
  const std::string folded = FoldPath(path);
  Waiting next{requests, std::move(stay), SpelledIn(path), use, std::move(then)};
  const std::optional<std::uint64_t> number = LineUp(folded, next);
  if (!number.has_value()) {
    next.then(TooMany(folded));
    return nullptr;
  }
  LetIn(folded);
  return std::make_unique<Turn>(shared_from_this(), folded, *number);
}

std::optional<std::uint64_t> Roster::LineUp(const std::string& path, Waiting& next) {
  MutexLock lock(mutex_);
  std::list<Waiting>& waiting = entries_[path].waiting;
  if (waiting.size() >= waiting_max_) return std::nullopt;
  next.number = ++last_number_;
  waiting.push_back(std::move(next));
  return last_number_;
}

// What was to be told goes outside of the lock: it may be the last that something hangs on.
void Roster::GiveUp(const std::string& path, std::uint64_t number) {
  std::list<Waiting> dropped;
  MutexLock lock(mutex_);
  const auto found = entries_.find(path);
  if (found == entries_.end()) return;
  std::list<Waiting>& waiting = found->second.waiting;
  const auto is_it = [number](const Waiting& each) { return each.number == number; };
  const auto at = std::find_if(waiting.begin(), waiting.end(), is_it);
  if (at != waiting.end()) dropped.splice(dropped.end(), waiting, at);
}

Roster::PlacePtr Roster::TryEnter(Requests& requests, std::shared_ptr<void> stay,
                                  const std::string& path) {
  const std::string folded = FoldPath(path);
  MutexLock lock(mutex_);
  if (entries_.contains(folded)) return nullptr;
  entries_[folded] = {.spelled = SpelledIn(path), .use = Use::kAlone, .places = 1, .is_busy = true};
  return PlacePtr(new Place(shared_from_this(), requests, std::move(stay), folded));
}

void Roster::ForgetLeftOver() {
  MutexLock lock(mutex_);
  left_over_.clear();
}

// A place may be left while it is told: that comes back to here, and must not go deeper with each
// who waits.
void Roster::LetIn(const std::string& path) {
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(path);
    if (found == entries_.end() || std::exchange(found->second.is_letting_in, true)) return;
  }
  while (const std::optional<Told> told = NextToTell(path)) told->then(told->place);
}

std::optional<Roster::Told> Roster::NextToTell(const std::string& path) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(path);
  Entry& entry = found->second;
  if (entry.is_busy || entry.is_going || entry.waiting.empty()) {
    entry.is_letting_in = false;
    if (entry.is_idle()) entries_.erase(found);
    return std::nullopt;
  }
  Waiting next = std::move(entry.waiting.front());
  entry.waiting.pop_front();
  const bool is_shared = entry.use == Use::kShared && next.use == Use::kShared;
  if (entry.places > 0 && entry.spelled != next.spelled) {
    return Told{std::move(next.then), jms::SpelledOtherwise(next.spelled, entry.spelled)};
  }
  if (entry.places > 0 && !is_shared) return Told{std::move(next.then), InUse(path)};
  entry.spelled = std::move(next.spelled);
  entry.use = next.use;
  ++entry.places;
  entry.is_busy = true;
  return Told{std::move(next.then),
              PlacePtr(new Place(shared_from_this(), next.requests, std::move(next.stay), path))};
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
    Entry& entry = entries_.at(place.path_);
    --entry.places;
    if (!place.is_ready_) entry.is_busy = false;
    if (entry.places == 0 && entry.goes_with_it.has_value()) {
      again[place.path_] = *entry.goes_with_it;
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
    Entry& entry = entries_.at(path);
    entry.is_going = false;
    entry.goes_with_it.reset();
  }
  LetIn(path);
}

}  // namespace wharf::amqp
