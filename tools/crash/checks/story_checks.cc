#include "tools/crash/checks/story_checks.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/checks/expiry_checks.h"
#include "tools/crash/history/lives.h"

namespace wharf::crash {
namespace {

// What a time may be too low by that was told over AMQP.
constexpr Duration kMillisecond = std::chrono::milliseconds(1);

// By how much one delivery adds to the count of the next, all by itself.
struct Range {
  std::uint32_t least;
  std::uint32_t most;
};

Range CountsAfter(const Holding& holding) {
  if (holding.Has(Verb::kRelease, Answer::kOk)) return {0, 0};
  if (holding.Has(Verb::kDeadLetter, Answer::kOk)) return {0, 0};
  if (holding.Has(Verb::kAbandon, Answer::kOk)) return {1, 1};
  // Either of these took effect, or the lock ended.
  if (holding.Has(Verb::kRelease, Answer::kUnknown)) return {0, 1};
  if (holding.Has(Verb::kDeadLetter, Answer::kUnknown)) return {0, 1};
  if (holding.session != nullptr && holding.session->HasRelease(Answer::kOk)) {
    const bool may_count =
        holding.Has(Verb::kAbandon, Answer::kUnknown) || holding.session->IsReleasedLate();
    return {0, may_count ? 1U : 0U};
  }
  if (holding.session != nullptr && holding.session->HasRelease(Answer::kUnknown)) return {0, 1};
  // Or its time was over before its link went.
  if (holding.session != nullptr && holding.session->IsLeft()) return {0, 1};
  return {1, 1};
}

std::set<std::int64_t> MarksAfter(const Holding& holding) {
  const std::int64_t before = holding.delivery->mark;
  std::set<std::int64_t> marks = {before};
  for (const SettleRecord* settle : holding.settles) {
    const std::int64_t mark = settle->mark == 0 ? before : settle->mark;
    if (settle->is_ok()) return {mark};
    if (settle->is_unknown()) marks.insert(mark);
  }
  return marks;
}

// The renewals' answers may have been lost; then the lock may hold for longer than is known.
bool MayHoldLonger(const Holding& holding) {
  if (holding.session != nullptr && holding.session->MayHoldLonger()) return true;
  return std::any_of(holding.renews.begin(), holding.renews.end(),
                     [](const RenewRecord* renew) { return renew->is_unknown(); });
}

// Until when the lock was known to hold when the request began.
Timestamp KnownUntil(const Holding& holding, Tick begin) {
  Timestamp until = holding.delivery->locked_until;
  for (const RenewRecord* renew : holding.renews) {
    if (renew->is_ok() && renew->end < begin) until = std::max(until, renew->locked_until);
  }
  if (holding.session != nullptr) until = std::max(until, holding.session->KnownUntil(begin));
  return until;
}

}  // namespace

std::vector<Tick> DeletedSince(const History& history) {
  std::vector<Tick> since(history.queues.size(), kNoTick);
  for (const QueueChange& change : history.queue_changes) {
    if (change.verb != QueueVerb::kDelete || change.is_refused()) continue;
    since[change.queue] = std::min(since[change.queue], change.begin);
  }
  return since;
}

StoryChecks::StoryChecks(const Storybook& book, Violations& violations)
    : book_(book),
      violations_(violations),
      unheard_(book.history().queues.size()),
      deleted_since_(DeletedSince(book.history())) {
  for (const ReceiveRecord& receive : book.history().receives) {
    if (MayHaveLost(book.history(), receive)) unheard_[receive.source.queue].push_back(&receive);
  }
}

void StoryChecks::Report(Rule rule, const Story& story, std::string what) {
  violations_.push_back({rule, std::move(what), story.id});
}

void StoryChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    CheckOrigin(story);
    if (story.send == nullptr) continue;
    CheckCompleted(story);
    CheckLocks(story);
    CheckFirst(story);
    for (const Holding& holding : story.holdings) CheckSettles(story, holding);
    for (std::size_t i = 1; i < story.holdings.size(); ++i) {
      CheckNext(story, story.holdings[i - 1], story.holdings[i]);
    }
  }
}

void StoryChecks::CheckOrigin(const Story& story) {
  const bool is_seen = !story.holdings.empty() || !story.sightings.empty();
  if (story.send == nullptr) {
    return Report(Rule::kNoGhost, story, "a message is there that nobody sent");
  }
  if (is_seen && story.sent->reply.answer == Answer::kRefused) {
    Report(Rule::kAnswersHold, story, "a message is there whose send was refused");
  }
  for (const Holding& holding : story.holdings) {
    CheckSeen(story, *holding.delivery, holding.delivery->source.queue);
  }
  for (const Sighting& sighting : story.sightings) {
    CheckSeen(story, *sighting.message, sighting.source.queue);
  }
}

void StoryChecks::CheckSeen(const Story& story, const SeenMessage& seen, QueueIndex queue) {
  if (queue != story.send->queue) {
    Report(Rule::kNoGhost, story,
           fmt::format("a message of one queue is in another, '{}'",
                       book_.history().queues[queue].name));
  }
  if (seen.body != story.sent->body) {
    Report(
        Rule::kNoGhost, story,
        fmt::format("the body has {} bytes, checksum {:08x}; sent were {}, {:08x}", seen.body.size,
                    seen.body.checksum, story.sent->body.size, story.sent->body.checksum));
  }
  if (seen.session != story.sent->session) {
    Report(
        Rule::kNoGhost, story,
        fmt::format("sent to the session '{}', it is in '{}'", story.sent->session, seen.session));
  }
  // A scheduled message has two: ScheduleChecks; one that was sent back has others: RedriveChecks.
  const bool is_numbered = story.sent->reply.answer == Answer::kOk &&
                           story.sent->sequence_number != 0 && !story.IsScheduled() &&
                           seen.redrives == 0;
  // One that was forwarded remembers it.
  const std::int64_t number = story.send->via ? seen.first_number : seen.sequence_number;
  if (is_numbered && number != story.sent->sequence_number) {
    Report(Rule::kAnswersHold, story,
           fmt::format("the message has number {}, acknowledged was {}", number,
                       story.sent->sequence_number));
  }
}

void StoryChecks::CheckCompleted(const Story& story) {
  for (std::size_t i = 0; i < story.holdings.size(); ++i) {
    const Holding& holding = story.holdings[i];
    const bool is_deleted = holding.delivery->mode == Mode::kReceiveAndDelete;
    if (!is_deleted && !holding.Has(Verb::kComplete, Answer::kOk)) continue;
    if (i + 1 < story.holdings.size()) {
      Report(Rule::kNoResurrection, story, "a message was delivered after its complete");
    }
    Tick completed = is_deleted ? holding.delivery->at : kNoTick;
    for (const SettleRecord* settle : holding.settles) {
      if (settle->is_ok()) completed = std::min(completed, settle->end);
    }
    for (const Sighting& sighting : story.sightings) {
      if (sighting.begin < completed) continue;
      return Report(Rule::kNoResurrection, story, "a message is there after its complete");
    }
  }
}

void StoryChecks::CheckLocks(const Story& story) {
  for (std::size_t i = 1; i < story.holdings.size(); ++i) {
    const Holding& one = story.holdings[i - 1];
    const Holding& next = story.holdings[i];
    if (one.delivery->mode != Mode::kPeekLock || next.delivery->mode != Mode::kPeekLock) continue;
    if (one.delivery->token == next.delivery->token) {
      Report(Rule::kOneLock, story, "a lock token was handed out twice");
      continue;
    }
    const bool may_be_settled = one.FirstSettle() < next.delivery->at;
    // The locks of sessions: SessionChecks.
    const bool is_comparable = one.session == next.session || one.session == nullptr;
    if (is_comparable && !may_be_settled && next.LatestStart() < Millisecond(one.locked_until)) {
      Report(Rule::kOneLock, story,
             fmt::format("locked at {} although another lock held until {}",
                         wharf::ToString(next.locked_from), wharf::ToString(one.locked_until)));
    }
    for (const SettleRecord* settle : one.settles) {
      if (!settle->is_ok() || settle->begin < next.delivery->at) continue;
      Report(Rule::kOneLock, story, "settled with a token after another one was handed out");
    }
  }
}

void StoryChecks::CheckSettles(const Story& story, const Holding& holding) {
  std::size_t settled = 0;
  for (const SettleRecord* settle : holding.settles) {
    if (settle->is_ok()) ++settled;
    if (settle->is_ok() && !MayHoldLonger(holding) &&
        settle->began_at > holding.locked_until + holding.rounding + kClockMargin) {
      Report(Rule::kOneLock, story, "settled with a token whose lock had ended");
    }
    if (settle->is_refused()) CheckRefusal(story, holding, *settle);
  }
  if (settled > 1) {
    Report(Rule::kOneLock, story, "one token settled its message more than once");
  }
  for (const RenewRecord* renew : holding.renews) {
    if (renew->is_refused()) CheckRefusal(story, holding, *renew);
  }
}

// A lock survives a crash: its token works until it ends or is used (LCK-11).
void StoryChecks::CheckRefusal(const Story& story, const Holding& holding,
                               const Operation& refused) {
  if (refused.reply.code != ErrorCode::kMessageLockLost &&
      refused.reply.code != ErrorCode::kSessionLockLost) {
    return;
  }
  if (holding.session != nullptr && holding.session->MayBeReleasedBefore(refused.end)) return;
  if (deleted_since_[story.send->queue] < refused.end) return;
  for (const PurgeRecord* purge : story.purges) {
    if (purge->source == holding.delivery->source && purge->begin < refused.end) return;
  }
  for (const SettleRecord* settle : holding.settles) {
    const bool is_itself = settle->begin == refused.begin;
    if (!is_itself && !settle->is_refused() && settle->begin < refused.end) return;
  }
  if (refused.ended_at + kClockMargin >= KnownUntil(holding, refused.begin)) return;
  Report(Rule::kAnswersHold, story, "a lock was lost before its end");
}

void StoryChecks::CheckNext(const Story& story, const Holding& one, const Holding& next) {
  if (next.delivery->mode != Mode::kPeekLock || one.delivery->mode != Mode::kPeekLock) return;
  CheckMark(story, one, next);
  if (one.delivery->redrives != next.delivery->redrives) {
    CheckSentBack(story, one, next);
  } else if (one.delivery->source.lane == next.delivery->source.lane) {
    CheckCount(story, one, next);
  } else {
    CheckMove(story, one, next);
  }
}

std::uint32_t StoryChecks::UnseenAttempts(const Story& story, Tick after, Tick before,
                                          Duration span) const {
  const Duration lock_duration = book_.queue(story).lock_duration;
  // A session may have been locked before its message came.
  const std::uint32_t possible =
      book_.queue(story).requires_session
          ? std::numeric_limits<std::uint32_t>::max()
          : static_cast<std::uint32_t>(std::max(span + kMillisecond, Duration(0)) / lock_duration);
  std::uint32_t unheard = 0;
  for (const ReceiveRecord* receive : unheard_[story.send->queue]) {
    if (unheard == possible) break;
    if (receive->end > after && receive->begin < before) ++unheard;
  }
  return unheard;
}

void StoryChecks::CheckFirst(const Story& story) {
  if (story.holdings.empty()) return;
  const Holding& first = story.holdings.front();
  if (first.delivery->mode != Mode::kPeekLock) return;
  if (first.delivery->mark != 0) {
    Report(Rule::kAnswersHold, story, "a property is set that nobody set");
  }
  CheckFirstCount(story, first, story.send->begin);
}

// The count begins at nought when a message is enqueued.
void StoryChecks::CheckFirstCount(const Story& story, const Holding& first, Tick since) {
  const Duration waited = first.LatestStart() - first.delivery->enqueued_at;
  const std::uint32_t most = UnseenAttempts(story, since, first.delivery->at, waited);
  if (first.delivery->delivery_count <= most) return;
  Report(Rule::kExactCounts, story,
         fmt::format("first seen with delivery count {}, at most {} can be",
                     first.delivery->delivery_count, most));
}

void StoryChecks::CheckCount(const Story& story, const Holding& one, const Holding& next) {
  const std::uint32_t before = one.delivery->delivery_count;
  const std::uint32_t now = next.delivery->delivery_count;
  Range range{0, 0};  // In a dead-letter queue the count stands still (CNT-12).
  if (one.delivery->source.lane == Lane::kMain) {
    range = CountsAfter(one);
    // What a link held is given back without counting when it is gone (SES-24).
    const bool is_given_back = one.session != nullptr && one.session->IsLeft() &&
                               next.LatestStart() < Millisecond(one.locked_until) &&
                               one.FirstSettle() == kNoTick;
    if (is_given_back) range = {0, 0};
    const bool may_be_settled = one.FirstSettle() != kNoTick;
    const Timestamp free_since = may_be_settled ? one.locked_from : one.locked_until;
    range.most +=
        UnseenAttempts(story, one.delivery->at, next.delivery->at, next.LatestStart() - free_since);
  }
  if (now >= before + range.least && now <= before + range.most) return;
  Report(Rule::kExactCounts, story,
         fmt::format("the delivery count went from {} to {}, not by {} to {}", before, now,
                     range.least, range.most));
}

void StoryChecks::CheckMark(const Story& story, const Holding& one, const Holding& next) {
  if (MarksAfter(one).contains(next.delivery->mark)) return;
  Report(Rule::kAnswersHold, story,
         fmt::format("a settlement's property is {} instead", next.delivery->mark));
}

// It was in the dead-letter queue meanwhile.
void StoryChecks::CheckSentBack(const Story& story, const Holding& one, const Holding& next) {
  CheckFirstCount(story, next, one.delivery->at);
  if (one.delivery->source.lane == Lane::kDeadLetter ||
      book_.queue(story).time_to_live > Duration(0)) {
    return;
  }
  if (one.Has(Verb::kDeadLetter, Answer::kOk) || one.Has(Verb::kDeadLetter, Answer::kUnknown)) {
    return;
  }
  const std::uint32_t most = one.delivery->delivery_count + CountsAfter(one).most +
                             UnseenAttempts(story, one.delivery->at, next.delivery->at,
                                            next.LatestStart() - one.locked_from);
  if (most >= book_.queue(story).max_delivery_count) return;
  Report(Rule::kExactCounts, story,
         fmt::format("sent back from the dead-letter queue, after at most {} attempts", most));
}

// Into the dead-letter queue by its verb, or by one attempt too many; never back.
void StoryChecks::CheckMove(const Story& story, const Holding& one, const Holding& next) {
  if (next.delivery->source.lane == Lane::kMain) {
    return Report(Rule::kNoResurrection, story, "a message came back from the dead-letter queue");
  }
  const std::uint32_t count = next.delivery->delivery_count;
  if (one.Has(Verb::kDeadLetter, Answer::kOk) && count == one.delivery->delivery_count) return;
  if (one.Has(Verb::kDeadLetter, Answer::kUnknown) && count >= one.delivery->delivery_count) return;
  if (count == book_.queue(story).max_delivery_count) return;
  // ExpiryChecks says whether it may.
  if (next.delivery->reason == kExpiredReason) return;
  Report(Rule::kExactCounts, story,
         fmt::format("in the dead-letter queue with delivery count {}, without a reason", count));
}

}  // namespace wharf::crash
