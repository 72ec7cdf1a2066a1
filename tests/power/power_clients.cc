#include "tests/power/power_clients.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/log_like_bodies.h"

namespace wharf {

using std::chrono::seconds;

namespace {

constexpr Duration kWindow = seconds(60);  // As the description says.
constexpr std::uint32_t kAttemptsMax = 3;
constexpr Duration kLockMin = seconds(60);

}  // namespace

std::string PowerClients::PathOf(LaneKind lane) {
  return lane == LaneKind::kMain ? "orders" : "orders/$DeadLetterQueue";
}

const PowerClients::Seen* PowerClients::Any(Places places) {
  std::vector<const Seen*> fitting;
  for (const Seen& seen : seen_) {
    if ((seen.place & places) != 0) fitting.push_back(&seen);
  }
  return fitting.empty() ? nullptr : fitting[Below(fitting.size())];
}

bool PowerClients::Step() {
  if (!Look()) return false;
  if (Below(4) == 0) {
    AskAlone();
    return true;
  }
  for (std::uint64_t count = 1 + Below(4); count > 0; --count) {
    ++under_way_;
    if (!Ask()) --under_way_;
  }
  engine().work().RunUntil([this] { return under_way_ == 0; });
  return true;
}

bool PowerClients::Ask() {
  switch (Below(16)) {
    case 0:
      return ReceiveDeferred();
    case 1:
      return Undefer();
    case 2:
      return ReceiveOne();
    case 3:
      return SettleOne();
    case 4:
      return CancelScheduled();
    case 5:
      return Reschedule();
    case 6:
      return Activate();
    case 7:
    case 8:
    case 9:
      Receive();
      return true;
    case 10:
    case 11:
    case 12:
      return Settle();
    default:
      Send();
      return true;
  }
}

// The messages of an atomic send have no ids: a duplicate is not stored, and would look like a
// part. Those of a wave expire together, but for a few.
void PowerClients::Send() {
  const bool is_wave = Below(3) == 0;
  const bool atomic = !is_wave && Below(2) == 0;
  const Duration life = seconds(1 + Below(40));
  std::vector<Message> messages(is_wave ? 4 + Below(20) : 1 + Below(3));
  ++batches_;
  for (Message& message : messages) {
    message = is_wave ? OfWave(life) : AnyMessage(!atomic);
    Known& known = history_.Add(message.body);
    known.batch = atomic ? batches_ : 0;
    known.time_to_live = message.time_to_live;
  }
  const std::vector<Message> sent = messages;
  broker().Send(PathOf(LaneKind::kMain), std::move(messages), atomic,
                [this, sent](const Result<SendReceipt>& receipt) {
                  --under_way_;
                  for (std::size_t i = 0; i < sent.size(); ++i) {
                    if (receipt.ok()) {
                      NoteSent(sent[i], (*receipt)[i]);
                    } else if (receipt.status().outcome() == Outcome::kUnknown) {
                      NoteLostSend(sent[i]);
                    }
                  }
                });
}

Message PowerClients::OfWave(Duration life) {
  Message message;
  message.body = fmt::format("{}:wave", history_.last_ordinal() + 1);
  message.time_to_live = Below(12) == 0 ? life + seconds(30) : life;
  return message;
}

Message PowerClients::AnyMessage(bool may_have_id) {
  Message message;
  const std::size_t size = Below(10) == 0 ? Below(20000) : Below(200);
  message.body =
      fmt::format("{}:{}", history_.last_ordinal() + 1,
                  Below(3) == 0 ? SegmentRecords(size, Below(1000)) : std::string(size, 'b'));
  if (Below(4) == 0) message.time_to_live = seconds(1 + Below(100));
  if (Below(4) == 0) message.scheduled_enqueue_time = now() + seconds(1 + Below(60));
  if (may_have_id && Below(2) == 0) message.message_id = fmt::format("id{}", Below(12));
  return message;
}

void PowerClients::NoteSent(const Message& message, const Result<SendOutcome>& outcome) {
  history_.at(message.body).batch = 0;
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  const auto known = message.message_id ? ids_.find(*message.message_id) : ids_.end();
  const bool is_known = known != ids_.end() && known->second.forget_after > now();
  if (outcome->is_duplicate) {
    EXPECT_TRUE(is_known) << *message.message_id << " is called a duplicate of nothing";
    return;
  }
  EXPECT_FALSE(is_known && known->second.is_certain)
      << *message.message_id << " was accepted twice";
  NoteAccepted(message);
}

void PowerClients::NoteAccepted(const Message& message) {
  const auto time = message.scheduled_enqueue_time;
  history_.Pin(message.body, time ? kScheduled : kWaiting);
  NoteTimes(message.body, time.value_or(now()));
  Known& known = history_.at(message.body);
  known.scheduled_for = time;
  known.activated_at = time.value_or(kNever);
  if (message.message_id) ids_[*message.message_id] = {message.body, now() + kWindow, true};
}

void PowerClients::NoteLostSend(const Message& message) {
  const auto time = message.scheduled_enqueue_time;
  history_.NoteDoubt({message.body, kGone, time ? kScheduled : kWaiting});
  history_.at(message.body).places |= time ? kScheduled : kWaiting;
  NoteTimes(message.body, time.value_or(now()));
  history_.at(message.body).activated_at = time.value_or(kNever);
  if (!message.message_id) return;
  const auto known = ids_.find(*message.message_id);
  const bool is_known = known != ids_.end() && known->second.forget_after > now();
  if (!is_known || !known->second.is_certain) {
    ids_[*message.message_id] = {message.body, now() + kWindow, false};
  }
}

// Its time to live is counted from there.
void PowerClients::NoteTimes(const std::string& body, Timestamp enqueued_at) {
  Known& known = history_.at(body);
  known.expires_at = known.time_to_live ? enqueued_at + *known.time_to_live : kNever;
}

// A receive whose answer is lost may have taken anything that waits; so may one that came in
// several turns, of which the last was cut off.
void PowerClients::Receive() {
  const LaneKind lane = AnyLane();
  const bool is_delete = Below(4) == 0;
  const ReceiveMode mode = is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock;
  broker().ReceiveOnce(
      {PathOf(lane), mode, 1 + Below(4), std::uint64_t{1} << 30, Duration(0)},
      [this, lane, mode, is_delete](const Result<std::vector<Delivered>>& received) {
        --under_way_;
        if (received.ok()) {
          for (const Delivered& delivered : *received) {
            NoteDelivered(delivered, lane, mode, kWaiting);
          }
          if (!engine().shard().workers().open.is_closed()) return;
        }
        history_.NoteDoubt({.from = InLane(lane, kWaiting),
                            .to = is_delete ? kGone : InLane(lane, kLocked),
                            .locked_until = now() + kLockMin});
      });
}

void PowerClients::NoteDelivered(const Delivered& delivered, LaneKind lane, ReceiveMode mode,
                                 Places from) {
  const std::string& body = delivered.message->message.body;
  history_.Spread(now());
  Known& known = history_.at(body);
  EXPECT_NE(known.places & InLane(lane, from), 0U)
      << "message " << NameOf(body) << " may be in " << known.places << " and was delivered";
  if (known.count && known.places == InLane(lane, from)) {
    EXPECT_EQ(*known.count, delivered.delivery.count) << "of message " << NameOf(body);
  }
  const bool is_delete = mode == ReceiveMode::kReceiveAndDelete;
  history_.Pin(body, is_delete ? kGone : InLane(lane, kLocked));
  if (is_delete) return;
  known.held = Held{lane, delivered.token, delivered.until, (from & kDeferred) != 0};
  known.locked_until = delivered.until;
  known.count = delivered.delivery.count;
}

bool PowerClients::Settle() {
  std::vector<std::string> held;
  for (const auto& [body, known] : history_.all()) {
    if (known.held && known.held->until > now()) held.push_back(body);
  }
  if (held.empty()) return false;
  const std::string body = held[Below(held.size())];
  const Held lock = *std::exchange(history_.at(body).held, std::nullopt);
  Settlement settlement = AnySettlement(lock.lane);
  if (lock.was_deferred) settlement.delay.reset();
  broker().Settle(PathOf(lock.lane), {lock.token}, settlement,
                  [this, body, lock, settlement](const Result<SettleReceipt>& receipt) {
                    --under_way_;
                    const Status status = receipt.ok() ? receipt->front() : receipt.status();
                    if (status.ok()) return NoteSettled(body, lock, settlement);
                    EXPECT_FALSE(receipt.ok()) << status.ToString();
                    if (status.outcome() != Outcome::kUnknown) return;
                    Known& known = history_.at(body);
                    if (settlement.delay) known.delayed_until = now() + *settlement.delay;
                    known.held = lock;
                    const Places after = AfterSettle(known, lock.lane, settlement);
                    known.held.reset();
                    history_.NoteDoubt({body, InLane(lock.lane, kLocked), after});
                  });
  return true;
}

Settlement PowerClients::AnySettlement(LaneKind lane) {
  Settlement settlement;
  settlement.verb = static_cast<SettleVerb>(Below(5));
  const bool is_dead = lane == LaneKind::kDeadLetter;
  if (is_dead && settlement.verb == SettleVerb::kDeadLetter) settlement.verb = SettleVerb::kRelease;
  if (settlement.verb == SettleVerb::kAbandon && Below(2) == 0) {
    settlement.delay = seconds(1 + Below(50));
  }
  return settlement;
}

void PowerClients::NoteSettled(const std::string& body, const Held& held,
                               const Settlement& settlement) {
  Known& known = history_.at(body);
  known.held = held;
  const Places after = AfterSettle(known, held.lane, settlement);
  const bool counts = held.lane == LaneKind::kMain && (settlement.verb == SettleVerb::kAbandon ||
                                                       settlement.verb == SettleVerb::kDefer);
  const auto count = known.count;
  history_.Pin(body, after);
  if (count) known.count = *count + (counts ? 1 : 0);
  if (settlement.delay) known.delayed_until = now() + *settlement.delay;
}

// TTL-8 first, then MAX-2, then STA-4 and CNT-6, then RTY-3.
Places PowerClients::AfterSettle(const Known& known, LaneKind lane, const Settlement& settlement) {
  if (settlement.verb == SettleVerb::kComplete) return kGone;
  if (settlement.verb == SettleVerb::kDeadLetter) return InLane(LaneKind::kDeadLetter, kWaiting);
  const bool is_main = lane == LaneKind::kMain;
  Places after = is_main && known.expires_at <= now() ? history_.expired_to : 0;
  const bool counts = is_main && settlement.verb != SettleVerb::kRelease;
  if (counts && known.count.value_or(kAttemptsMax) + 1 >= kAttemptsMax) {
    after |= InLane(LaneKind::kDeadLetter, kWaiting);
    if (known.count) return after;
  }
  if (settlement.verb == SettleVerb::kDefer || known.held->was_deferred) {
    return after | InLane(lane, kDeferred);
  }
  return after | InLane(lane, settlement.delay ? kDelayed : kWaiting);
}

}  // namespace wharf
