#include "tests/power/session_power_clients.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/harness/message_accounts.h"
#include "tests/harness/session_accounts.h"
#include "tests/harness/session_link.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr const char* kQueue = "orders";
constexpr Duration kLock = seconds(60);

}  // namespace

void SessionPowerClients::Meet(BrokerLife& life) {
  life_ = &life;
  if (latest_ > now()) engine().clock().Advance(latest_ - now());
  latest_ = now();
  life_->RunUntilQuiet();
  LeaveLinks();
  if (engine().GetQueue(kQueue).ok()) return;
  ASSERT_TRUE(items_.empty()) << "the queue is lost";
  QueueDescription queue;
  queue.name = kQueue;
  queue.requires_session = true;
  queue.lock_duration = kLock;
  queue.max_delivery_count = 1000;
  ASSERT_TRUE(engine().CreateQueue(queue).ok());
}

// SES-24, CNT-10.
void SessionPowerClients::LeaveLinks() {
  left_.clear();
  for (const auto& [session, hold] : held_) {
    if (hold.is_by_link) left_.insert(session);
  }
  for (const std::string& session : left_) NoteEnded(session, false);
}

bool SessionPowerClients::Step() {
  life_->RunUntilQuiet();
  Ask();
  return engine().GetQueue(kQueue).ok();
}

void SessionPowerClients::Ask() {
  switch (Below(16)) {
    case 0:
      return AcceptNamed();
    case 1:
    case 2:
      return AcceptNext();
    case 3:
    case 4:
      return Receive();
    case 5:
    case 6:
    case 7:
      return Settle();
    case 8:
      return SetState();
    case 9:
      return GetState();
    case 10:
      return Renew();
    case 11:
      return Release();
    case 12:
      return Advance();
    case 13:
    case 14:
      return AcceptByLink();
    default:
      return Send();
  }
}

std::string SessionPowerClients::AnyHeld() {
  if (held_.empty()) return "";
  return std::next(held_.begin(), static_cast<std::ptrdiff_t>(Below(held_.size())))->first;
}

std::string SessionPowerClients::AnyInFlight(const std::string& session) {
  std::vector<std::string> bodies;
  for (const auto& [body, item] : items_) {
    if (item.token && item.session == session) bodies.push_back(body);
  }
  return bodies.empty() ? "" : bodies[Below(bodies.size())];
}

std::vector<std::string> SessionPowerClients::Waiting(const std::string& session) const {
  std::map<std::uint64_t, std::string> waiting;
  for (const auto& [body, item] : items_) {
    if (!item.token && item.session == session) waiting[item.number] = body;
  }
  std::vector<std::string> bodies;
  bodies.reserve(waiting.size());
  for (const auto& [number, body] : waiting) bodies.push_back(body);
  return bodies;
}

// SES-6.
std::string SessionPowerClients::Next() const {
  const Item* lowest = nullptr;
  for (const auto& [body, item] : items_) {
    const bool is_offered = !item.token && !held_.contains(item.session);
    if (is_offered && (lowest == nullptr || item.number < lowest->number)) lowest = &item;
  }
  return lowest == nullptr ? "" : lowest->session;
}

void SessionPowerClients::Send() {
  const std::string session = AnySession();
  std::vector<Message> messages(1 + Below(3));
  for (Message& message : messages) {
    message.session_id = session;
    message.body = fmt::format("{}:{}", ++bodies_, std::string(Below(3000), 'b'));
  }
  const auto receipt = engine().Send(kQueue, messages, true);
  if (!receipt.ok() && !IsLost(receipt.status())) return;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Item item{.session = session};
    if (receipt.ok()) item.number = (*receipt)[i]->number.value();
    item.may_be_gone = !receipt.ok();
    items_.emplace(messages[i].body, item);
  }
}

void SessionPowerClients::AcceptNamed() {
  const std::string session = AnySession();
  const auto accepted = engine().AcceptSession(kQueue, session);
  if (!held_.contains(session)) return NoteAccepted(accepted, session);
  EXPECT_FALSE(accepted.ok()) << session << " has two holders";
}

void SessionPowerClients::AcceptNext() {
  const std::string expected = Next();
  const auto accepted = engine().AcceptSession(kQueue);
  if (!expected.empty()) return NoteAccepted(accepted, expected);
  EXPECT_FALSE(accepted.ok()) << accepted->id << " has nothing to deliver, or two holders";
}

// A named one, or the next.
void SessionPowerClients::AcceptByLink() {
  std::optional<std::string> named;
  if (Below(2) == 0) named = AnySession();
  const std::string expected = named.value_or(Next());
  const bool is_free = !expected.empty() && !held_.contains(expected);
  const auto accepted = SessionLink::Accept(engine(), kQueue, named);
  EXPECT_FALSE(accepted.ok() && !is_free) << accepted->session.id << " has two holders";
  if (!accepted.ok() || !is_free) return;
  NoteAccepted(accepted->session, expected);
  held_[expected].is_by_link = true;
}

void SessionPowerClients::NoteAccepted(const Result<AcceptedSession>& accepted,
                                       const std::string& expected) {
  if (accepted.ok()) {
    EXPECT_EQ(accepted->id, expected);
    held_[expected] = {accepted->token, accepted->until};
  }
}

// SES-10, I5.
void SessionPowerClients::Receive() {
  const std::string session = AnyHeld();
  if (session.empty()) return;
  const auto received =
      engine().Receive(kQueue, 1 + Below(4), ReceiveMode::kPeekLock, held_.at(session).token);
  if (!received.ok()) return;
  const std::vector<std::string> expected = Waiting(session);
  ASSERT_LE(received->size(), expected.size());
  for (std::size_t i = 0; i < received->size(); ++i) {
    const Delivered& delivered = (*received)[i];
    ASSERT_EQ(delivered.message->message.body, expected[i]);
    Item& item = items_.at(expected[i]);
    EXPECT_EQ(delivered.delivery.count, item.count_min);
    item.token = delivered.token;
  }
}

void SessionPowerClients::Settle() {
  const std::string session = AnyHeld();
  const std::string body = session.empty() ? "" : AnyInFlight(session);
  if (body.empty()) return;
  Item& item = items_.at(body);
  const bool is_complete = Below(3) != 0;
  const Status status =
      is_complete ? engine().Complete(kQueue, *item.token) : engine().Abandon(kQueue, *item.token);
  if (status.ok() && is_complete) {
    items_.erase(body);
  } else if (status.ok()) {
    item.token.reset();
    item.count_min = ++item.count_max;
  } else if (IsLost(status)) {
    item.is_in_doubt = true;
    item.may_be_gone = is_complete;
    if (!is_complete) ++item.count_max;
  }
}

// The state, and a message that is completed with it: both or none.
void SessionPowerClients::SetState() {
  const std::string session = AnyHeld();
  if (session.empty()) return;
  const std::string body = AnyInFlight(session);
  State state;
  if (Below(4) != 0) state = fmt::format("{}", ++bodies_);
  TokenList completed;
  if (!body.empty()) completed.emplace_back(*items_.at(body).token);
  const Status status = engine().SetSessionState(kQueue, held_.at(session).token, state, completed);
  if (status.ok()) {
    states_[session] = {state};
    if (!body.empty()) items_.erase(body);
  } else if (IsLost(status)) {
    if (states_[session].empty()) states_[session].emplace_back();
    states_[session].push_back(state);
    if (body.empty()) return;
    items_.at(body).is_in_doubt = true;
    items_.at(body).may_be_gone = true;
  }
}

void SessionPowerClients::GetState() {
  const std::string session = AnyHeld();
  if (!session.empty()) CheckState(session, held_.at(session).token);
}

void SessionPowerClients::Renew() {
  const std::string session = AnyHeld();
  if (session.empty()) return;
  Hold& hold = held_.at(session);
  const auto until = engine().RenewSession(kQueue, hold.token);
  if (until.ok()) hold.until = *until;
  if (!until.ok() && IsLost(until.status())) hold.may_be_renewed = true;
}

void SessionPowerClients::Release() {
  const std::string session = AnyHeld();
  if (session.empty()) return;
  const Status status = engine().ReleaseSession(kQueue, held_.at(session).token);
  if (status.ok()) return NoteEnded(session, false);
  if (IsLost(status)) held_.at(session).may_be_released = true;
}

// Now and then beyond the end of a lock (CNT-8).
void SessionPowerClients::Advance() {
  engine().clock().Advance(seconds(Below(6) == 0 ? Below(100) : Below(10)));
  latest_ = now();
  const auto held = held_;
  life_->RunUntilQuiet();
  const bool has_power = engine().GetQueue(kQueue).ok();
  for (const auto& [session, hold] : held) {
    if (hold.until > now()) continue;
    // Either its time or the power ended it, and with that nothing is counted.
    if (hold.is_by_link && !has_power) NoteMayHaveFailed(session);
    NoteEnded(session, true);
  }
}

void SessionPowerClients::NoteMayHaveFailed(const std::string& session) {
  for (auto& [body, item] : items_) {
    if (item.session == session && item.token) item.is_in_doubt = true;
  }
}

void SessionPowerClients::NoteEnded(const std::string& session, bool counts) {
  held_.erase(session);
  for (auto& [body, item] : items_) {
    if (item.session != session || !item.token) continue;
    item.token.reset();
    if (!counts) continue;
    ++item.count_max;
    if (!item.is_in_doubt) ++item.count_min;
  }
}

void SessionPowerClients::Check() {
  CheckLeft();
  for (const char* session : {"a", "b", "c"}) CheckSession(session);
  EXPECT_FALSE(!Next().empty() && !engine().AcceptSession(kQueue).ok()) << "nothing is offered";
  for (const char* session : {"a", "b", "c"}) {
    static_cast<void>(engine().ForceReleaseSession(kQueue, session));
  }
  CheckAccounts();
}

// Whoever asks for the next sessions gets those that links held, too (SES-6, SES-24).
void SessionPowerClients::CheckLeft() {
  std::map<std::string, LockToken> offered;
  for (auto next = engine().AcceptSession(kQueue); next.ok();
       next = engine().AcceptSession(kQueue)) {
    offered[next->id] = next->token;
  }
  for (const auto& [body, item] : items_) {
    const bool is_due = left_.contains(item.session) && !item.may_be_gone;
    EXPECT_TRUE(!is_due || offered.contains(item.session))
        << item.session << " is offered to nobody";
  }
  for (const auto& [session, token] : offered) {
    EXPECT_TRUE(engine().ReleaseSession(kQueue, token).ok());
  }
}

// Whoever held it is heard first; then it is free, and everything of it is looked at. What a link
// held is free at once.
void SessionPowerClients::CheckSession(const std::string& session) {
  if (held_.contains(session)) {
    CheckHeld(session);
  } else if (!left_.contains(session)) {
    // An accept whose answer was lost.
    static_cast<void>(engine().ForceReleaseSession(kQueue, session));
  }
  const auto accepted = engine().AcceptSession(kQueue, session);
  ASSERT_TRUE(accepted.ok()) << session << ": " << accepted.status().ToString();
  CheckState(session, accepted->token);
  CheckMessages(session, accepted->token);
  EXPECT_TRUE(engine().ReleaseSession(kQueue, accepted->token).ok());
}

// LCK-11, SES-8, SES-24: the lock stands, nobody else gets the session, and what is in flight can
// be settled.
void SessionPowerClients::CheckHeld(const std::string& session) {
  const Hold hold = held_.at(session);
  const bool is_certain = hold.until > now() && !hold.may_be_released;
  const bool is_over = hold.until <= now() && !hold.may_be_renewed;
  const auto renewed = engine().RenewSession(kQueue, hold.token);
  EXPECT_TRUE(renewed.ok() || !is_certain) << session << ": " << renewed.status().ToString();
  EXPECT_FALSE(renewed.ok() && is_over) << session << " is held for too long";
  if (!renewed.ok()) return NoteEnded(session, hold.until <= now());
  EXPECT_EQ(engine().AcceptSession(kQueue, session).status().code(),
            ErrorCode::kSessionCannotBeLocked);
  CheckState(session, hold.token);
  for (auto it = items_.begin(); it != items_.end();) {
    const auto& [body, item] = *it++;
    const bool is_ours = item.session == session && item.token && !item.is_in_doubt;
    if (!is_ours || Below(2) == 0) continue;
    const Status status = engine().Complete(kQueue, *item.token);
    EXPECT_TRUE(status.ok()) << session << ": " << status.ToString();
    items_.erase(std::string(body));
  }
  EXPECT_TRUE(engine().ReleaseSession(kQueue, hold.token).ok());
  NoteEnded(session, false);
}

// Reliability 48: never older than one that was acknowledged.
void SessionPowerClients::CheckState(const std::string& session, const LockToken& token) {
  const auto state = engine().GetSessionState(kQueue, token);
  if (!state.ok()) return;
  std::vector<State>& states = states_[session];
  if (states.empty()) states.emplace_back();
  EXPECT_NE(std::find(states.begin(), states.end(), *state), states.end())
      << "the state of " << session << " is " << state->value_or("none");
  states = {*state};
}

// I1, I3, I5.
void SessionPowerClients::CheckMessages(const std::string& session, const LockToken& token) {
  std::map<std::string, Item> seen;
  std::uint64_t last = 0;
  for (;;) {
    const auto received = engine().Receive(kQueue, 100, ReceiveMode::kPeekLock, token);
    ASSERT_TRUE(received.ok()) << received.status().ToString();
    if (received->empty()) break;
    for (const Delivered& delivered : *received) {
      const std::uint64_t number = delivered.message->number.value();
      EXPECT_LT(std::exchange(last, number), number) << session << " is out of order";
      const auto item = items_.find(delivered.message->message.body);
      ASSERT_NE(item, items_.end()) << number << " came back";
      EXPECT_EQ(item->second.session, session);
      EXPECT_TRUE(item->second.number == 0 || item->second.number == number);
      EXPECT_GE(delivered.delivery.count, item->second.count_min) << number;
      EXPECT_LE(delivered.delivery.count, item->second.count_max) << number;
      seen[item->first] = {session, number, delivered.delivery.count, delivered.delivery.count};
    }
  }
  for (const auto& [body, item] : items_) {
    if (item.session != session) continue;
    EXPECT_TRUE(item.may_be_gone || seen.contains(body)) << item.number << " is lost";
  }
  std::erase_if(items_, [&](const auto& entry) { return entry.second.session == session; });
  items_.merge(seen);
}

// I6.
void SessionPowerClients::CheckAccounts() {
  life_->RunUntilQuiet();
  const auto snapshot = engine().GetQueue(kQueue);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  const Store& store = life_->store();
  EXPECT_EQ(FindWrongCounters(store, snapshot->record.id, LaneKind::kMain, snapshot->main), "");
  EXPECT_EQ(FindStrayRows(store, *snapshot), "");
  EXPECT_EQ(FindWrongSessions(store, *snapshot), "");
}

}  // namespace wharf
