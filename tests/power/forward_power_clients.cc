#include "tests/power/forward_power_clients.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/harness/message_accounts.h"
#include "tests/power/power_history.h"

namespace wharf {
namespace {

using std::chrono::seconds;

const std::vector<std::string> kQueues = {"dead", "c", "b", "a"};
// Where messages can be received from.
const std::vector<std::string> kEnds = {"c", "dead", "a/$DeadLetterQueue"};

std::string DeadLettersOf(const std::string& queue) { return queue + "/$DeadLetterQueue"; }

}  // namespace

void ForwardPowerClients::Meet(BrokerLife& life) {
  life_ = &life;
  if (latest_ > now()) engine().clock().Advance(latest_ - now());
  latest_ = now();
  life_->RunUntilQuiet();
  CreateAll();
}

// The power may have failed between two of them.
void ForwardPowerClients::CreateAll() {
  for (const std::string& name : kQueues) {
    if (engine().GetQueue(name).ok()) continue;
    ASSERT_TRUE(fates_.empty()) << "the queue " << name << " is lost";
    ASSERT_TRUE(engine().CreateQueue(Describe(name)).ok());
  }
}

QueueDescription ForwardPowerClients::Describe(const std::string& name) {
  QueueDescription queue;
  queue.name = name;
  queue.max_delivery_count = 2;
  if (name == "a") queue.forward_to = "b";
  if (name == "b") queue.forward_to = "c";
  if (name == "b" || name == "c") queue.forward_dead_lettered_messages_to = "dead";
  queue.requires_duplicate_detection = name == "c";
  return queue;
}

bool ForwardPowerClients::Step() {
  if (!Look()) return false;
  Ask();
  return engine().GetQueue("a").ok();
}

void ForwardPowerClients::Ask() {
  switch (Below(12)) {
    case 0:
    case 1:
      return Consume();
    case 2:
    case 3:
      return Settle();
    case 4:
      return Update();
    case 5:
      return Redrive();
    case 6:
      return Advance();
    default:
      return Send();
  }
}

// Each id is that of one message: only what is forwarded twice would be a duplicate.
void ForwardPowerClients::Send() {
  std::vector<Message> messages(1 + Below(4));
  for (Message& message : messages) {
    message.body =
        fmt::format("{}:{}", ++bodies_, std::string(Below(8) == 0 ? Below(20000) : 10, 'b'));
    if (Below(2) == 0) message.message_id = fmt::format("id{}", bodies_);
    if (Below(8) == 0) message.scheduled_enqueue_time = now() + seconds(1 + Below(20));
  }
  const auto receipt = engine().Send(AnyOf({"a", "a", "b", "c"}), messages, Below(2) == 0);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Status status = receipt.ok() ? (*receipt)[i].status() : receipt.status();
    fates_[messages[i].body] = status.ok()      ? Fate::kIsThere
                               : IsLost(status) ? Fate::kMayBeThere
                                                : Fate::kIsGone;
  }
}

void ForwardPowerClients::NoteTaken(const Bodies& bodies, const Status& status) {
  for (const std::string& body : bodies) {
    if (status.ok()) fates_[body] = Fate::kIsGone;
    if (IsLost(status)) fates_[body] = Fate::kMayBeThere;
  }
}

// A receive whose answer is lost may have taken anything that is there; so may one that came in
// several turns, of which the last was cut off.
void ForwardPowerClients::Consume() {
  const std::string path = AnyOf(kEnds);
  const auto received = engine().Receive(path, 1 + Below(6), ReceiveMode::kReceiveAndDelete);
  if (!received.ok()) return NoteTaken(seen_[path], received.status());
  if (engine().shard().workers().open.is_closed()) {
    NoteTaken(seen_[path],
              {ErrorCode::kServiceCommunicationProblem, "it was cut off", Outcome::kUnknown});
  }
  for (const Delivered& delivered : *received) {
    NoteTaken({delivered.message->message.body}, Status::Ok());
  }
}

// What is not completed moves, or stays locked for a while.
void ForwardPowerClients::Settle() {
  const std::string path = AnyOf(kEnds);
  const auto received = engine().Receive(path, 1 + Below(4));
  if (!received.ok()) return;
  for (const Delivered& delivered : *received) {
    switch (Below(4)) {
      case 0:
        NoteTaken({delivered.message->message.body}, engine().Complete(path, delivered.token));
        break;
      case 1:
        static_cast<void>(engine().Abandon(path, delivered.token));
        break;
      case 2:
        static_cast<void>(engine().DeadLetter(path, delivered.token));
        break;
      default:
        break;
    }
  }
}

// Now and then nothing can be forwarded to a queue, or a queue does not forward.
void ForwardPowerClients::Update() {
  QueueDescription queue = Describe(AnyOf({"a", "b", "c"}));
  if (Below(2) == 0) queue.status = EntityStatus::kSendDisabled;
  if (Below(3) == 0) queue.forward_to.reset();
  if (Below(3) == 0) queue.forward_dead_lettered_messages_to.reset();
  static_cast<void>(engine().UpdateQueue(queue));
}

void ForwardPowerClients::Redrive() {
  const std::string path = DeadLettersOf(AnyOf(kQueues));
  static_cast<void>(engine().BeginJob({.verb = JobVerb::kRedrive, .path = path}));
}

void ForwardPowerClients::Advance() {
  engine().clock().Advance(seconds(Below(90)));
  latest_ = now();
  engine().Run();
}

bool ForwardPowerClients::LookAt(const std::string& path) {
  for (std::uint64_t from = 0;;) {
    const Result<PeekPage> page = engine().Peek(path, from);
    if (!page.ok()) return false;
    for (const PeekedMessage& peeked : page->messages) {
      seen_[path].push_back(peeked.message->message.body);
    }
    if (!page->next) return true;
    from = page->next->value();
  }
}

bool ForwardPowerClients::Look() {
  life_->RunUntilQuiet();
  seen_.clear();
  for (const std::string& queue : kQueues) {
    if (!LookAt(queue) || !LookAt(DeadLettersOf(queue))) return false;
  }
  std::map<std::string, std::string> places;
  for (const auto& [path, bodies] : seen_) {
    for (const std::string& body : bodies) {
      const auto [place, is_only] = places.emplace(body, path);
      EXPECT_TRUE(is_only) << NameOf(body) << " is in " << place->second << " and in " << path;
    }
  }
  for (auto& [body, fate] : fates_) {
    const bool is_there = places.contains(body);
    EXPECT_TRUE(is_there || fate != Fate::kIsThere) << NameOf(body) << " is lost";
    EXPECT_FALSE(is_there && fate == Fate::kIsGone) << NameOf(body) << " is there again";
    fate = is_there ? Fate::kIsThere : Fate::kIsGone;
  }
  return true;
}

void ForwardPowerClients::Check() {
  if (!Look()) FAIL() << "the broker does not answer after a restart";
  CheckAccounts();
  // Longer than any lane rests, and than any message is locked.
  engine().clock().Advance(seconds(200));
  latest_ = now();
  if (!Look()) FAIL() << "the broker does not answer";
  CheckNothingWaits();
  CheckAccounts();
}

// What is forwarded has left, or become a dead letter. "dead" takes everything, always.
void ForwardPowerClients::CheckNothingWaits() {
  for (const std::string& name : kQueues) {
    const QueueSnapshot queue = *engine().GetQueue(name);
    const QueueDescription& description = queue.record.description;
    EXPECT_TRUE(!description.forward_to || queue.main.messages() == 0) << "in " << name;
    EXPECT_TRUE(!description.forward_dead_lettered_messages_to || queue.dead_letter.messages() == 0)
        << "in the dead letters of " << name;
  }
}

// I6, and no body without its message, wherever that is.
void ForwardPowerClients::CheckAccounts() {
  life_->RunUntilQuiet();
  std::vector<QueueSnapshot> queues;
  queues.reserve(kQueues.size());
  for (const std::string& name : kQueues) queues.push_back(*engine().GetQueue(name));
  const Store& store = life_->store();
  for (const QueueSnapshot& queue : queues) {
    const EntityId id = queue.record.id;
    EXPECT_EQ(FindWrongCounters(store, id, LaneKind::kMain, queue.main), "");
    EXPECT_EQ(FindWrongCounters(store, id, LaneKind::kDeadLetter, queue.dead_letter), "");
    EXPECT_EQ(FindStrayRows(store, queue, queues), "");
  }
}

}  // namespace wharf
