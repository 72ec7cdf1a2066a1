// Looking at everything, and what must hold after a restart.

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/harness/message_accounts.h"
#include "tests/power/power_clients.h"

namespace wharf {

using std::chrono::seconds;

void PowerClients::Meet(BrokerLife& life) {
  life_ = &life;
  if (latest_ > now()) engine().clock().Advance(latest_ - now());
  latest_ = now();
  life_->RunUntilQuiet();
  CheckQueue();
}

// I10, for the queue itself: it is as it was last described, or is gone as a whole.
void PowerClients::CheckQueue() {
  const auto snapshot = engine().GetQueue(PathOf(LaneKind::kMain));
  if (!snapshot.ok()) {
    ASSERT_TRUE(may_be_deleted_) << "the queue is lost: " << snapshot.status().ToString();
    NoteDeleted();
    CreateQueue();
    ASSERT_FALSE(may_be_deleted_);
    return;
  }
  const EntityRecord& record = snapshot->record;
  if (record.id != entity_) {
    ASSERT_TRUE(may_be_deleted_) << "the queue is another one";
    NoteDeleted();
    entity_ = record.id;
  }
  may_be_deleted_ = false;
  const bool is_known = std::find(descriptions_.begin(), descriptions_.end(), record.description) !=
                        descriptions_.end();
  EXPECT_TRUE(is_known) << "the queue is described by " << *record.description.user_metadata;
  // What expired while that was in doubt went where either said.
  history_.Spread(now());
  NoteDescription(record.description);
}

bool PowerClients::Look() {
  life_->RunUntilQuiet();
  std::vector<PeekedMessage> found[2];
  for (const LaneKind lane : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    if (!LookAt(lane, found[static_cast<std::size_t>(lane)])) return false;
  }
  history_.Spread(now());
  seen_.clear();
  std::map<std::string, Places> places;
  for (const LaneKind lane : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    for (const PeekedMessage& peeked : found[static_cast<std::size_t>(lane)]) {
      const std::string& body = peeked.message->message.body;
      const Places place = peeked.is_scheduled ? kScheduled : PlaceOf(lane, peeked.standing);
      EXPECT_TRUE(places.emplace(body, place).second) << NameOf(body) << " is there twice";
      seen_.push_back({body, peeked.message->number.value(), lane, place});
    }
  }
  EXPECT_EQ(history_.Settle(places), "");
  if (::testing::Test::HasFailure()) return true;
  for (const LaneKind lane : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    for (const PeekedMessage& peeked : found[static_cast<std::size_t>(lane)]) {
      NoteSeen(peeked, lane);
    }
  }
  NoteJobs();
  return true;
}

bool PowerClients::LookAt(LaneKind lane, std::vector<PeekedMessage>& found) {
  std::uint64_t from = 0;
  for (;;) {
    const Result<PeekPage> page = engine().Peek(PathOf(lane), from);
    if (!page.ok()) return false;
    found.insert(found.end(), page->messages.begin(), page->messages.end());
    if (!page->next) return true;
    from = page->next->value();
  }
}

// What is due was done, and no time is earlier than it was set.
void PowerClients::NoteSeen(const PeekedMessage& peeked, LaneKind lane) {
  const std::string& body = peeked.message->message.body;
  Known& known = history_.at(body);
  if (peeked.is_scheduled) {
    const Timestamp time = *peeked.message->message.scheduled_enqueue_time;
    EXPECT_GT(time, now()) << NameOf(body) << " is not activated";
    EXPECT_EQ(time, known.scheduled_for.value_or(time)) << NameOf(body) << " waits for another";
    known.scheduled_for = known.activated_at = time;
    return NoteTimes(body, time);
  }
  known.scheduled_for.reset();
  if (peeked.standing == Standing::kDelayed) {
    EXPECT_GT(peeked.available_at, now()) << NameOf(body) << " is still delayed";
    EXPECT_GE(peeked.available_at, std::min(known.delayed_until, peeked.available_at));
    known.delayed_until = peeked.available_at;
  }
  if (known.count) {
    EXPECT_EQ(*known.count, peeked.delivery.count) << "of message " << NameOf(body);
  }
  known.count = peeked.delivery.count;
  // A redrive begins another life.
  if (lane == LaneKind::kDeadLetter) return NoteTimes(body, now());
  const Timestamp expires_at = peeked.message->facts.expires_at;
  EXPECT_GE(expires_at, known.expires_at) << NameOf(body) << " expires too early";
  known.expires_at = expires_at;
  const bool is_swept =
      peeked.standing != Standing::kLocked && peeked.standing != Standing::kDeferred;
  EXPECT_TRUE(!is_swept || expires_at > now()) << NameOf(body) << " has not expired";
}

void PowerClients::Check() {
  if (!Look()) FAIL() << "the broker does not answer after a restart";
  CheckAccounts();
  CheckLocks();
  for (const LaneKind lane : {LaneKind::kMain, LaneKind::kDeadLetter}) CheckWaiting(lane);
  CheckIds();
  if (Below(2) == 0) CheckJobs();
  Look();
  CheckAccounts();
}

// Every lock that a client heard of still holds (LCK-11), and ends when it was said to.
void PowerClients::CheckLocks() {
  for (const auto& [body, known] : history_.all()) {
    if (!known.held || known.held->until <= now()) continue;
    const auto until = engine().RenewLock(PathOf(known.held->lane), known.held->token);
    EXPECT_TRUE(until.ok()) << "of " << NameOf(body) << ": " << until.status().ToString();
    if (!until.ok()) continue;
    EXPECT_GE(*until, now() + seconds(60));
    Known& renewed = history_.at(body);
    renewed.held->until = renewed.locked_until = *until;
  }
}

// What waits is delivered, and nothing else.
void PowerClients::CheckWaiting(LaneKind lane) {
  std::vector<std::pair<std::string, LockToken>> received;
  for (;;) {
    const auto some = engine().Receive(PathOf(lane), 100);
    ASSERT_TRUE(some.ok()) << some.status().ToString();
    if (some->empty()) break;
    for (const Delivered& delivered : *some) {
      NoteDelivered(delivered, lane, ReceiveMode::kPeekLock, kWaiting);
      received.emplace_back(delivered.message->message.body, delivered.token);
    }
  }
  for (const auto& [body, known] : history_.all()) {
    EXPECT_NE(known.places, InLane(lane, kWaiting))
        << NameOf(body) << " waits, but is not delivered";
  }
  for (const auto& [body, token] : received) {
    const Held held = *history_.at(body).held;
    ASSERT_TRUE(engine().Release(PathOf(lane), token).ok());
    NoteSettled(body, held, {.verb = SettleVerb::kRelease});
  }
}

// DUP-5, DUP-6: an id that was accepted is known inside its window.
void PowerClients::CheckIds() {
  for (auto& [id, known] : ids_) {
    const bool is_there = (history_.at(known.body).places & kGone) == 0;
    known.is_certain = known.is_certain || is_there;
    if (!known.is_certain || known.forget_after <= now()) continue;
    Message probe;
    probe.body = fmt::format("{}:probe", history_.last_ordinal() + 1);
    probe.message_id = id;
    history_.Add(probe.body);
    const auto receipt = engine().Send(PathOf(LaneKind::kMain), {probe});
    ASSERT_TRUE(receipt.ok()) << receipt.status().ToString();
    NoteSent(probe, receipt->front());
  }
}

// Jobs that were cut go on and come to their end.
void PowerClients::CheckJobs() {
  for (int second = 0; second < 2000 && !jobs_.empty(); ++second) {
    engine().clock().Advance(seconds(1));
    latest_ = now();
    life_->RunUntilQuiet();
    history_.Spread(now());
    NoteJobs();
  }
  EXPECT_TRUE(jobs_.empty()) << "a job does not end";
}

// I6.
void PowerClients::CheckAccounts() {
  life_->RunUntilQuiet();
  const Result<QueueSnapshot> snapshot = engine().GetQueue(PathOf(LaneKind::kMain));
  ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  const EntityId id = snapshot->record.id;
  const Store& store = life_->store();
  EXPECT_EQ(FindWrongCounters(store, id, LaneKind::kMain, snapshot->main), "");
  EXPECT_EQ(FindWrongCounters(store, id, LaneKind::kDeadLetter, snapshot->dead_letter), "");
  EXPECT_EQ(FindStrayRows(store, *snapshot), "");
}

}  // namespace wharf
