#include "tests/power/topic_power_clients.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/harness/body_accounts.h"
#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr const char* kTopic = "orders";
// What its rules take: everything; red ones; everything twice, once changed; nothing.
constexpr const char* kNames[] = {"all", "red", "twice", "none"};

std::string PathOf(const std::string& name) { return SubscriptionPath(kTopic, name); }
std::string DeadLettersOf(const std::string& path) { return path + std::string(kDeadLetterSuffix); }

std::optional<RuleDescription> FirstRuleOf(const std::string& name) {
  if (name == "all") return std::nullopt;
  if (name == "none") return RuleDescription{.name = "never", .filter = FalseFilter()};
  if (name == "twice") {
    return RuleDescription{.name = "changes", .action = SqlText{.text = "SET seen = 'yes'"}};
  }
  CorrelationFilter red;
  red.subject = "red";
  return RuleDescription{.name = "red", .filter = red};
}

}  // namespace

void TopicPowerClients::Meet(BrokerLife& life) {
  life_ = &life;
  if (latest_ > now()) engine().clock().Advance(latest_ - now());
  latest_ = now();
  life_->RunUntilQuiet();
  const bool is_new = books_.empty() && scheduled_.empty() && in_doubt_.empty();
  if (engine().Get(EntityKind::kTopic, kTopic).ok()) return;
  ASSERT_TRUE(is_new) << "the topic is lost";
  ASSERT_TRUE(engine().Create(EntityKind::kTopic, {.name = kTopic}).ok());
  for (const char* name : kNames) {
    QueueDescription subscription;
    subscription.name = PathOf(name);
    subscription.lock_duration = seconds(60);
    subscription.max_delivery_count = 1000000;
    ASSERT_TRUE(engine().Create(EntityKind::kSubscription, subscription, FirstRuleOf(name)).ok());
  }
  ASSERT_TRUE(engine().AddRule(PathOf("twice"), {.name = "plain"}).ok());
}

bool TopicPowerClients::Step() {
  life_->RunUntilQuiet();
  Ask();
  return engine().Get(EntityKind::kTopic, kTopic).ok();
}

void TopicPowerClients::Ask() {
  switch (Below(10)) {
    case 0:
    case 1:
    case 2:
      return Send();
    case 3:
    case 4:
    case 5:
      return Receive();
    case 6:
      return Advance();
    default:
      return Settle();
  }
}

std::string TopicPowerClients::AnyPath() {
  const std::string path = PathOf(kNames[Below(std::size(kNames))]);
  return Below(4) == 0 ? DeadLettersOf(path) : path;
}

TopicPowerClients::Books TopicPowerClients::CopiesOf(const Sent& sent) {
  Books copies;
  copies[PathOf("all")][sent.body].count = 1;
  copies[PathOf("twice")][sent.body].count = 2;
  if (sent.is_red) copies[PathOf("red")][sent.body].count = 1;
  return copies;
}

void TopicPowerClients::Enter(const Sent& sent) {
  for (const auto& [path, bodies] : CopiesOf(sent)) {
    for (const auto& [body, copies] : bodies) books_[path][body].count += copies.count;
  }
}

void TopicPowerClients::Leave(const std::string& path, const std::string& body) {
  Copies& copies = books_[path][body];
  ASSERT_GT(copies.count, 0U);
  if (--copies.count == 0) books_[path].erase(body);
}

// Bodies of all kinds: in the message, shared, and shared by several rows.
void TopicPowerClients::Send() {
  std::vector<Message> messages(1 + Below(3));
  std::vector<Sent> sent;
  for (Message& message : messages) {
    message.body = fmt::format("{}:{}", ++bodies_, std::string(Below(6000), 'b'));
    Sent& each = sent.emplace_back(Sent{.body = message.body, .is_red = Below(2) == 0});
    message.subject = each.is_red ? "red" : "blue";
    if (Below(4) == 0) {
      each.time = now() + seconds(1 + Below(60));
      message.scheduled_enqueue_time = each.time;
    }
  }
  const auto receipt = engine().Send(kTopic, messages, true);
  if (!receipt.ok()) {
    if (IsLost(receipt.status())) in_doubt_ = std::move(sent);
    return;
  }
  for (Sent& each : sent) {
    if (each.time) {
      scheduled_.push_back(std::move(each));
    } else {
      Enter(each);
    }
  }
}

void TopicPowerClients::Receive() {
  const std::string path = AnyPath();
  const bool is_taken = Below(4) == 0;
  const std::size_t count = 1 + Below(3);
  const auto received = engine().Receive(
      path, count, is_taken ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock);
  if (!received.ok()) {
    if (is_taken && IsLost(received.status())) taken_ = {path, count};
    return;
  }
  // What came in several turns is answered also when the last of them was cut off.
  if (is_taken && engine().shard().workers().open.is_closed())
    taken_ = {path, count - received->size()};
  for (const Delivered& delivered : *received) {
    const std::string& body = delivered.message->message.body;
    if (is_taken) {
      Leave(path, body);
    } else {
      held_.push_back({path, body, delivered.token, delivered.until});
    }
  }
}

void TopicPowerClients::Settle() {
  if (held_.empty()) return;
  const auto at = held_.begin() + static_cast<std::ptrdiff_t>(Below(held_.size()));
  const Held held = *at;
  held_.erase(at);
  if (held.until <= now()) return;
  const bool is_dead_letter = held.path.ends_with(kDeadLetterSuffix);
  const std::uint64_t verb = Below(is_dead_letter ? 3 : 4);
  Status status = verb < 2    ? engine().Complete(held.path, held.token)
                  : verb == 2 ? engine().Abandon(held.path, held.token)
                              : engine().DeadLetter(held.path, held.token);
  if (!status.ok()) {
    // Otherwise nothing happened: the power was off before.
    if (verb != 2 && IsLost(status)) settled_ = held;
    if (!IsLost(status)) held_.push_back(held);
    return;
  }
  if (verb == 2) return;
  Leave(held.path, held.body);
  if (verb == 3) ++books_[DeadLettersOf(held.path)][held.body].count;
}

void TopicPowerClients::Advance() {
  engine().Advance(seconds(1 + Below(40)));
  life_->RunUntilQuiet();
  latest_ = std::max(latest_, now());
  const auto due = std::stable_partition(scheduled_.begin(), scheduled_.end(),
                                         [this](const Sent& sent) { return *sent.time > now(); });
  std::for_each(due, scheduled_.end(), [this](const Sent& sent) { Enter(sent); });
  scheduled_.erase(due, scheduled_.end());
}

TopicPowerClients::Books TopicPowerClients::Peeked() {
  Books there;
  for (const char* name : kNames) {
    for (const std::string& path : {PathOf(name), DeadLettersOf(PathOf(name))}) {
      for (std::uint64_t from = 0;;) {
        const auto page = engine().Peek(path, from);
        EXPECT_TRUE(page.ok()) << page.status().ToString();
        if (!page.ok()) return there;
        for (const PeekedMessage& peeked : page->messages) {
          ++there[path][peeked.message->message.body].count;
        }
        if (!page->next) break;
        from = page->next->value();
      }
    }
  }
  return there;
}

std::size_t TopicPowerClients::CountIn(const Books& books, const std::string& path,
                                       const std::string& body) {
  const auto bodies = books.find(path);
  if (bodies == books.end()) return 0;
  const auto copies = bodies->second.find(body);
  return copies == bodies->second.end() ? 0 : copies->second.count;
}

// The send that was cut off is everywhere, or nowhere.
void TopicPowerClients::CheckSend(const Books& there) {
  const auto waiting = engine().ListScheduled(kTopic);
  ASSERT_TRUE(waiting.ok()) << waiting.status().ToString();
  const bool has_any = std::any_of(in_doubt_.begin(), in_doubt_.end(), [&](const Sent& sent) {
    return CountIn(there, PathOf("all"), sent.body) > 0 ||
           std::any_of(
               waiting->messages.begin(), waiting->messages.end(),
               [&](const MessagePtr& scheduled) { return scheduled->message.body == sent.body; });
  });
  for (const Sent& sent : std::exchange(in_doubt_, {})) {
    if (!has_any) continue;
    if (sent.time && *sent.time > now()) {
      scheduled_.push_back(sent);
    } else {
      Enter(sent);
    }
  }
}

// The message is where it was, or where it was to go.
void TopicPowerClients::CheckSettled(const Books& there) {
  if (!settled_) return;
  const auto [path, body, token, until] = *std::exchange(settled_, std::nullopt);
  if (CountIn(there, path, body) >= CountIn(books_, path, body)) return;
  Leave(path, body);
  const std::string dead = DeadLettersOf(path);
  if (CountIn(there, dead, body) > CountIn(books_, dead, body)) ++books_[dead][body].count;
}

void TopicPowerClients::CheckTaken(const Books& there) {
  if (!taken_) return;
  const auto [path, count] = *std::exchange(taken_, std::nullopt);
  std::vector<std::string> gone;
  for (const auto& [body, copies] : books_[path]) {
    gone.insert(gone.end(), copies.count - std::min(copies.count, CountIn(there, path, body)),
                body);
  }
  EXPECT_LE(gone.size(), count);
  for (const std::string& body : gone) Leave(path, body);
}

void TopicPowerClients::Check() {
  life_->RunUntilQuiet();
  engine().Advance(seconds(0));
  life_->RunUntilQuiet();
  const auto due = std::stable_partition(scheduled_.begin(), scheduled_.end(),
                                         [this](const Sent& sent) { return *sent.time > now(); });
  std::for_each(due, scheduled_.end(), [this](const Sent& sent) { Enter(sent); });
  scheduled_.erase(due, scheduled_.end());
  Books there = Peeked();
  CheckSend(there);
  CheckSettled(there);
  CheckTaken(there);
  for (const char* name : kNames) {
    for (const std::string& path : {PathOf(name), DeadLettersOf(PathOf(name))}) {
      for (const auto& [body, copies] : books_[path]) {
        EXPECT_EQ(there[path][body].count, copies.count) << path << " " << body.substr(0, 10);
      }
      for (const auto& [body, copies] : there[path]) {
        EXPECT_TRUE(copies.count == 0 || books_[path].contains(body))
            << path << " has " << body.substr(0, 10) << " without reason";
      }
    }
  }
  CheckHeld();
  CheckAccounts();
}

// Locks outlive the cut: each token settles its message, or its time is over.
void TopicPowerClients::CheckHeld() {
  for (const Held& held : std::exchange(held_, {})) {
    if (held.until <= now()) continue;
    const Status status = engine().Complete(held.path, held.token);
    EXPECT_TRUE(status.ok()) << held.path << ": " << status.ToString();
    if (status.ok()) Leave(held.path, held.body);
  }
  life_->RunUntilQuiet();
}

void TopicPowerClients::CheckAccounts() {
  EXPECT_EQ(FindStrayBodies(life_->store()), "");
  for (const char* name : kNames) {
    const auto snapshot = engine().Get(EntityKind::kSubscription, PathOf(name));
    ASSERT_TRUE(snapshot.ok());
    EXPECT_EQ(
        FindWrongCounters(life_->store(), snapshot->record.id, LaneKind::kMain, snapshot->main),
        "");
    EXPECT_EQ(FindWrongCounters(life_->store(), snapshot->record.id, LaneKind::kDeadLetter,
                                snapshot->dead_letter),
              "");
  }
}

}  // namespace wharf
