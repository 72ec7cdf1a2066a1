#include "broker/engine/background/shared_bodies.h"

#include <cassert>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/core/messages/body_release.h"

namespace wharf {
namespace {

// Bodies whose copies are counted in memory; some 5 MiB.
constexpr std::size_t kCountedMax = 100000;

}  // namespace

void SharedBodies::Plan(Turn& turn) {
  released_.clear();
  AssertCopies(turn.changes);
  for (const Change& change : turn.changes) {
    AppendReleasedBodies(change, released_);
    if (const auto* published = std::get_if<MessagePublished>(&change)) NotePublished(*published);
  }
  if (!released_.empty()) Release(turn);
  if (!is_reading_) BeginRead(turn);
}

// Each copy is a holder of the body that all share: one that is not counted would lose it. The
// copies of a message follow it.
void SharedBodies::AssertCopies([[maybe_unused]] const Changes& changes) {
#ifndef NDEBUG
  const MessagePublished* published = nullptr;
  std::uint32_t left = 0;
  for (const Change& change : changes) {
    if (const auto* copied = std::get_if<MessageCopied>(&change)) {
      const auto& body = copied->message->facts.body_ref;
      assert(published != nullptr && left > 0 && body.has_value() == published->body.has_value());
      assert(!body || KeyOf(*body) == KeyOf(*published->body));
      --left;
    } else if (const auto* next = std::get_if<MessagePublished>(&change)) {
      assert(left == 0);
      published = next;
      left = next->copies;
    }
  }
  assert(left == 0);
#endif
}

// Copies of what was a copy itself take its place.
void SharedBodies::NotePublished(const MessagePublished& published) {
  if (!published.body || published.copies < 2) return;
  const Key key = KeyOf(*published.body);
  if (published.body->is_shared()) {
    const auto known = copies_.find(key);
    if (known != copies_.end()) known->second += published.copies - 1;
  } else if (copies_.size() < kCountedMax) {
    const bool is_new = copies_.emplace(key, published.copies).second;
    assert(is_new);
    static_cast<void>(is_new);
  }
}

void SharedBodies::Release(Turn& turn) {
  for (const BodyRef& body : released_) {
    const auto known = copies_.find(KeyOf(body));
    if (known == copies_.end()) {
      LookLater(body, turn);
    } else if (assert(known->second > 0); --known->second == 0) {
      copies_.erase(known);
      turn.changes.push_back(SharedBodyDropped{body});
    }
  }
}

// One that is being looked at has its row. Of the others many copies may go one after the other;
// each writes the same row, and it is looked at once.
void SharedBodies::LookLater(const BodyRef& body, Turn& turn) {
  if (const auto looking = looking_.find(KeyOf(body)); looking != looking_.end()) {
    looking->second = true;
    return;
  }
  turn.changes.push_back(SharedBodyReleased{body});
  if (looking_.size() < kRowsPerRead) {
    looking_.emplace(KeyOf(body), false);
    next_.push_back(body);
  } else {
    unlooked_.insert(body.entity.bucket());
  }
}

// Sees all that this turn released, and what was released before.
void SharedBodies::BeginRead(Turn& turn) {
  TakePlace();
  if (next_.empty() && !place_) return;
  is_reading_ = true;
  for (const BodyRef& body : next_) looking_.at(KeyOf(body)) = false;
  context_.reads.ReadAfter(
      turn, Urgency::kBackground,
      [this, bodies = std::exchange(next_, {}), place = place_](const StoreView& view) -> Task {
        Looked looked;
        looked.has_holders.reserve(bodies.size());
        for (const BodyRef& body : bodies) {
          looked.has_holders.emplace_back(body, HasHolders(view, body));
        }
        if (place) looked.rows = ReadReleasedBodies(view, *place, kRowsPerRead);
        return [this, looked = std::move(looked)](Turn& later) { Take(looked, later); };
      });
}

// The next bucket, when a walk has come to the end of one.
void SharedBodies::TakePlace() {
  if (place_ || unlooked_.empty()) return;
  place_ = ReleasedPlace{*unlooked_.begin()};
  unlooked_.erase(unlooked_.begin());
}

// Rows first: among them are those of the bodies that this read looked at.
void SharedBodies::Take(const Looked& looked, Turn& turn) {
  if (context_.open.is_closed()) return;
  is_reading_ = false;
  if (looked.rows) TakeRows(*looked.rows);
  for (const auto& [body, has_holders] : looked.has_holders) Conclude(body, has_holders, turn);
}

void SharedBodies::TakeRows(const Result<std::vector<BodyRef>>& rows) {
  if (!rows.ok()) {
    // They stay, for the next start.
    spdlog::error("released bodies cannot be read: {}", rows.status().message());
    place_.reset();
    return;
  }
  for (const BodyRef& body : *rows) {
    if (looking_.try_emplace(KeyOf(body), false).second) next_.push_back(body);
  }
  if (rows->size() < kRowsPerRead) {
    place_.reset();
  } else {
    place_->after = rows->back();
  }
}

// One of which a copy went meanwhile is looked at again: its row still says so.
void SharedBodies::Conclude(const BodyRef& body, const Result<bool>& has_holders, Turn& turn) {
  const auto looking = looking_.find(KeyOf(body));
  const bool has_changed = looking->second;
  looking_.erase(looking);
  if (!has_holders.ok()) {
    // Its row stays, for the next start.
    spdlog::error("a shared body cannot be looked at: {}", has_holders.status().message());
  } else if (!*has_holders) {
    turn.changes.push_back(SharedBodyDropped{body, /*was_released=*/true});
  } else if (has_changed) {
    unlooked_.insert(body.entity.bucket());
  } else {
    turn.changes.push_back(SharedBodyKept{body});
  }
}

}  // namespace wharf
