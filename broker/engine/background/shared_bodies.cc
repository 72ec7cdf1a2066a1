#include "broker/engine/background/shared_bodies.h"

#include <algorithm>
#include <iterator>

#include <spdlog/spdlog.h>

#include "broker/core/messages/body_release.h"
#include "broker/reading/shared_body_reader.h"

namespace wharf {
namespace {

// Bodies whose copies are counted in memory; some 5 MiB.
constexpr std::size_t kCountedMax = 100000;
constexpr std::size_t kLooksPerStep = 256;

}  // namespace

void SharedBodies::Start(std::vector<BodyRef> released, Turn& turn) {
  while (!released.empty()) {
    const std::size_t step = std::min(kLooksPerStep, released.size());
    const auto from = released.end() - static_cast<std::ptrdiff_t>(step);
    for (auto at = from; at != released.end(); ++at) looking_.emplace(KeyOf(*at), false);
    Look({from, released.end()}, turn);
    released.erase(from, released.end());
  }
}

void SharedBodies::Plan(Turn& turn) {
  released_.clear();
  for (const Change& change : turn.changes) {
    AppendReleasedBodies(change, released_);
    if (const auto* published = std::get_if<MessagePublished>(&change)) NotePublished(*published);
  }
  if (released_.empty()) return;
  std::vector<BodyRef> unknown = Release(turn);
  if (!unknown.empty()) Look(std::move(unknown), turn);
}

// Copies of what was a copy itself take its place.
void SharedBodies::NotePublished(const MessagePublished& published) {
  if (!published.body || published.copies < 2) return;
  const Key key = KeyOf(*published.body);
  if (published.body->is_shared()) {
    const auto known = copies_.find(key);
    if (known != copies_.end()) known->second += published.copies - 1;
  } else if (copies_.size() < kCountedMax) {
    copies_.emplace(key, published.copies);
  }
}

std::vector<BodyRef> SharedBodies::Release(Turn& turn) {
  std::vector<BodyRef> unknown;
  for (const BodyRef& body : released_) {
    const Key key = KeyOf(body);
    const auto known = copies_.find(key);
    if (known != copies_.end()) {
      if (--known->second > 0) continue;
      copies_.erase(known);
      turn.changes.push_back(SharedBodyDropped{body});
      continue;
    }
    const auto [looking, is_new] = looking_.try_emplace(key, false);
    if (is_new) {
      unknown.push_back(body);
      turn.changes.push_back(SharedBodyReleased{body});
    } else {
      looking->second = true;
    }
  }
  return unknown;
}

void SharedBodies::Look(std::vector<BodyRef> bodies, Turn& turn) {
  context_.reads.ReadAfter(turn, Urgency::kBackground,
                           [this, bodies = std::move(bodies)](const StoreView& view) -> Task {
                             std::vector<std::pair<BodyRef, Result<bool>>> looked;
                             looked.reserve(bodies.size());
                             for (const BodyRef& body : bodies)
                               looked.emplace_back(body, HasHolders(view, body));
                             return [this, looked = std::move(looked)](Turn& later) {
                               Conclude(looked, later);
                             };
                           });
}

// One of which a copy went meanwhile is looked at again: its row still says so.
void SharedBodies::Conclude(const std::vector<std::pair<BodyRef, Result<bool>>>& looked,
                            Turn& turn) {
  if (context_.open.is_closed()) return;
  std::vector<BodyRef> again;
  for (const auto& [body, has_holders] : looked) {
    const auto looking = looking_.find(KeyOf(body));
    const bool has_changed = std::exchange(looking->second, false);
    if (has_holders.ok() && *has_holders && has_changed) {
      again.push_back(body);
      continue;
    }
    looking_.erase(looking);
    if (!has_holders.ok()) {
      // Its row stays, for the next start.
      spdlog::error("a shared body cannot be looked at: {}", has_holders.status().message());
    } else if (*has_holders) {
      turn.changes.push_back(SharedBodyKept{body});
    } else {
      turn.changes.push_back(SharedBodyDropped{body, /*was_released=*/true});
    }
  }
  if (!again.empty()) Look(std::move(again), turn);
}

}  // namespace wharf
