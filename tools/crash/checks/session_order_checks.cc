#include "tools/crash/checks/session_order_checks.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

SessionLocks::SessionKey KeyOf(const SessionLock& lock) {
  return {lock.accept->queue, lock.accept->session};
}

}  // namespace

SessionOrderChecks::SessionOrderChecks(const Storybook& book, Violations& violations)
    : book_(book), violations_(violations) {
  for (const DeliveryRecord& delivery : book.history().deliveries) {
    const SessionLock* lock = book.session_locks().Find(delivery.session_token);
    if (lock != nullptr) deliveries_[KeyOf(*lock)].push_back(&delivery);
  }
  for (auto& [session, deliveries] : deliveries_) {
    std::sort(deliveries.begin(), deliveries.end(),
              [](const auto* one, const auto* other) { return one->at < other->at; });
  }
  for (const ReceiveRecord& receive : book.history().receives) {
    const SessionLock* lock = book.session_locks().Find(receive.session_token);
    if (lock != nullptr && receive.is_unheard()) unheard_[KeyOf(*lock)].push_back(&receive);
  }
}

void SessionOrderChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    if (story.send != nullptr && book_.queue(story).requires_session) CheckStory(story);
  }
}

void SessionOrderChecks::CheckStory(const Story& story) {
  std::optional<Tick> available;
  if (story.sent->reply.answer == Answer::kOk) available = story.send->end;
  for (const Holding& holding : story.holdings) {
    if (holding.session == nullptr) return;  // In the dead-letter queue, and it stays there.
    if (available) CheckOvertaken(story, *available, *holding.delivery);
    available = AvailableAfter(holding);
  }
}

void SessionOrderChecks::CheckOvertaken(const Story& story, Tick available,
                                        const DeliveryRecord& delivery) {
  const SessionLocks::SessionKey session{story.send->queue, story.sent->session};
  if (MayBeTaken(session, available, delivery.at)) return;
  const auto& deliveries = deliveries_[session];
  auto next = std::lower_bound(deliveries.begin(), deliveries.end(), available,
                               [](const auto* one, Tick tick) { return one->at < tick; });
  for (; next != deliveries.end() && (*next)->at < delivery.at; ++next) {
    if ((*next)->since < available || (*next)->sequence_number < delivery.sequence_number) continue;
    violations_.push_back(
        {Rule::kOrder,
         fmt::format("number {} of session '{}' came after {}, although it was "
                     "there before",
                     delivery.sequence_number, session.second, (*next)->sequence_number),
         story.id});
    return;
  }
}

std::optional<Tick> SessionOrderChecks::AvailableAfter(const Holding& holding) const {
  for (const SettleRecord* settle : holding.settles) {
    const bool gives_back = settle->verb == Verb::kAbandon || settle->verb == Verb::kRelease;
    if (settle->is_ok() && gives_back && settle->delay == Duration(0)) return settle->end;
  }
  // Whatever became of it, nobody else could accept the session before.
  const auto& locks = book_.session_locks().by_session().at(KeyOf(*holding.session));
  const auto next = std::find(locks.begin(), locks.end(), holding.session) + 1;
  if (next == locks.end()) return std::nullopt;
  return (*next)->accept->end;
}

bool SessionOrderChecks::MayBeTaken(const SessionLocks::SessionKey& session, Tick after,
                                    Tick before) const {
  const auto found = unheard_.find(session);
  if (found == unheard_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const ReceiveRecord* receive) {
    return receive->end > after && receive->begin < before;
  });
}

}  // namespace wharf::crash
