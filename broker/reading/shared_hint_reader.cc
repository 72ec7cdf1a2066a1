#include "broker/reading/shared_hint_reader.h"

#include <algorithm>
#include <utility>

#include "broker/reading/found_walk.h"

namespace wharf {
namespace {

class SharedWalk {
 public:
  SharedWalk(const StoreView& view, const SharedHint& shared, Timestamp now,
             const DueBounds& bounds)
      : shared_(shared),
        now_(now),
        bounds_(bounds),
        walk_(view, shared.hint.lane, shared.hint.number, shared.end) {}

  Result<SharedMessages> Run() {
    while (!is_over_) {
      Result<std::optional<FoundMessage>> found = walk_.Next();
      if (!found.ok()) return found.status();
      if (!*found) break;
      Look(**std::move(found));
    }
    return std::move(read_);
  }

 private:
  bool is_full() const {
    return looks_ > 0 && (read_.messages.size() >= bounds_.messages || bytes_ >= bounds_.bytes);
  }

  // In the order in which they came, of those that are meant none expires before the last.
  void Look(FoundMessage found) {
    const StoredMessage& message = *found.message;
    if (is_full()) return Leave(message.number, shared_.hint.time);
    ++looks_;
    if (!found.is_readable()) return;
    const Timestamp time = message.facts.expires_at;
    if (message.enqueued_at > shared_.came_until) {
      is_over_ = true;
    } else if (IsMeant(shared_, message) && time > now_) {
      Leave(message.number, TimeOfRest(shared_, time, now_, bounds_.grain));
    } else if (IsMeant(shared_, message)) {
      bytes_ += static_cast<std::size_t>(message.facts.held_size());
      read_.messages.push_back(std::move(found));
    }
  }

  // From this one on, at that time.
  void Leave(SequenceNumber number, Timestamp time) {
    read_.rest = shared_;
    read_.rest->hint.number = number;
    read_.rest->hint.time = time;
    is_over_ = true;
  }

  const SharedHint shared_;
  const Timestamp now_;
  const DueBounds bounds_;
  FoundWalk walk_;
  SharedMessages read_;
  std::size_t bytes_ = 0;
  std::size_t looks_ = 0;
  bool is_over_ = false;
};

}  // namespace

bool IsMeant(const SharedHint& shared, SequenceNumber number, const MessageHead& message) {
  return message.shares_hint && number >= shared.hint.number && number < shared.end &&
         message.enqueued_at <= shared.came_until && message.expires_at <= shared.expire_until;
}

bool IsMeant(const SharedHint& shared, const StoredMessage& message) {
  const MessageFacts& facts = message.facts;
  return IsMeant(shared, message.number,
                 {.enqueued_at = message.enqueued_at,
                  .size = facts.size,
                  .expires_at = facts.expires_at,
                  .shares_hint = facts.shares_hint});
}

Timestamp TimeOfRest(const SharedHint& shared, Timestamp expires_at, Timestamp now,
                     Duration grain) {
  return std::min(std::max(expires_at, After(now, grain)), shared.expire_until);
}

Result<SharedMessages> ReadShared(const StoreView& view, const SharedHint& shared, Timestamp now,
                                  const DueBounds& bounds) {
  return SharedWalk(view, shared, now, bounds).Run();
}

}  // namespace wharf
