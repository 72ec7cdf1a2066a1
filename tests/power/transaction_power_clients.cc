#include "tests/power/transaction_power_clients.h"

#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

constexpr std::size_t kAtOnce = 4;
constexpr Duration kOutcomesKept = TransactionLimits().outcomes_kept;

}  // namespace

void TransactionPowerClients::Meet(BrokerLife& life) {
  life_ = &life;
  life_->RunUntilQuiet();
  for (const char* name : {"orders", "bills"}) {
    if (engine().GetQueue(name).ok()) continue;
    QueueDescription queue;
    queue.name = name;
    queue.max_delivery_count = 1000000;
    queue.lock_duration = std::chrono::seconds(30);
    static_cast<void>(engine().CreateQueue(queue));
  }
}

// A few transactions at once. False if the broker did not answer.
bool TransactionPowerClients::Step() {
  if (!Send()) return false;
  const auto received = engine().Receive("orders", kAtOnce);
  if (!received.ok()) return false;
  under_way_ = received->size();
  for (const Delivered& delivered : *received) Move(delivered);
  life_->RunUntilQuiet();
  if (random_.Next() % 8 == 0) engine().Advance(std::chrono::seconds(31));
  return under_way_ == 0;
}

void TransactionPowerClients::Check() {
  life_->RunUntilQuiet();
  const std::set<std::string> orders = BodiesIn("orders");
  const Moved moved{BodiesIn("bills"), BodiesIn("orders/$DeadLetterQueue")};
  for (const std::string& body : acknowledged_) {
    EXPECT_NE(orders.contains(body), moved.bills.contains(body)) << "message " << body;
  }
  for (const std::string& body : moved.dead) {
    EXPECT_TRUE(moved.bills.contains(body)) << body << " was dead-lettered, and not sent";
  }
  for (const auto& [id, heard] : heard_) CheckOutcome(id, heard, moved);
  for (const char* name : {"orders", "bills"}) CheckAccounts(name);
  heard_.clear();
}

bool TransactionPowerClients::Send() {
  const std::string body = fmt::format("{}", ++bodies_);
  const bool is_sent = engine().Send("orders", body).ok();
  if (is_sent) acknowledged_.insert(body);
  return is_sent;
}

void TransactionPowerClients::Move(const Delivered& delivered) {
  const std::string id = fmt::format("tx{}", ++transactions_);
  const Message& message = delivered.message->message;
  const bool dead_letters = random_.Next() % 4 == 0;
  heard_[id] = {.body = message.body, .dead_letters = dead_letters};
  const SettleVerb verb = dead_letters ? SettleVerb::kDeadLetter : SettleVerb::kComplete;
  std::vector<Operation> parts = {{"orders", SettleMessages{{delivered.token}, {.verb = verb}}},
                                  {"bills", SendMessages{{message}}}};
  switch (random_.Next() % 4) {
    case 0:
    case 1:
      return engine().broker().RunTransaction(id, std::move(parts), HearEnd(id));
    case 2:
      return MoveInSteps(id, std::move(parts), true);
    default:
      return MoveInSteps(id, std::move(parts), false);
  }
}

void TransactionPowerClients::MoveInSteps(const std::string& id, std::vector<Operation> parts,
                                          bool commits) {
  Broker& broker = engine().broker();
  broker.BeginTransaction(std::nullopt, [this, id, commits, parts = std::move(parts)](
                                            const Result<TransactionRecord>& begun) mutable {
    if (!begun.ok()) return;
    Heard heard = heard_[id];
    heard_.erase(id);
    heard.was_begun = true;
    heard_[begun->id] = heard;
    for (Operation& part : parts) {
      engine().broker().AddToTransaction(begun->id, std::move(part),
                                         [](const Result<TransactionRecord>&) {});
    }
    if (commits) return engine().broker().CommitTransaction(begun->id, HearEnd(begun->id));
    engine().broker().RollBackTransaction(begun->id, HearEnd(begun->id));
  });
}

Answer<TransactionRecord> TransactionPowerClients::HearEnd(const std::string& id) {
  return [this, id](const Result<TransactionRecord>& ended) {
    Heard& heard = heard_[id];
    if (ended.ok()) heard.end = ended->state;
    heard.ended_at = engine().clock().Now();
    heard.was_refused = !ended.ok() && ended.status().outcome() == Outcome::kNotDone;
    if (ended.ok() || heard.was_refused) --under_way_;
  };
}

std::set<std::string> TransactionPowerClients::BodiesIn(const std::string& path) {
  std::set<std::string> bodies;
  for (std::uint64_t from = 0;;) {
    const auto page = engine().Peek(path, from);
    EXPECT_TRUE(page.ok());
    if (!page.ok()) return bodies;
    for (const PeekedMessage& peeked : page->messages) {
      const std::string& body = peeked.message->message.body;
      EXPECT_TRUE(bodies.insert(body).second) << body << " is twice in " << path;
    }
    if (!page->next) return bodies;
    from = page->next->value();
  }
}

void TransactionPowerClients::CheckAccounts(const std::string& name) {
  const auto queue = engine().GetQueue(name);
  ASSERT_TRUE(queue.ok());
  const EntityId id = queue->record.id;
  const Store& store = life_->store();
  EXPECT_EQ(FindWrongCounters(store, id, LaneKind::kMain, queue->main), "");
  EXPECT_EQ(FindWrongCounters(store, id, LaneKind::kDeadLetter, queue->dead_letter), "");
  EXPECT_EQ(FindStrayRows(store, *queue), "");
}

void TransactionPowerClients::CheckOutcome(const std::string& id, const Heard& heard,
                                           const Moved& moved) {
  const auto told = engine().GetTransaction(id);
  const bool is_committed = told.ok() && told->state == TransactionState::kCommitted;
  if (is_committed) {
    EXPECT_TRUE(moved.bills.contains(heard.body)) << id << " is committed without its message";
    EXPECT_EQ(moved.dead.contains(heard.body), heard.dead_letters) << id << " settled otherwise";
  }
  EXPECT_FALSE(heard.was_refused && is_committed) << id << " was refused";
  if (!heard.end) {
    EXPECT_FALSE(told.ok() && told->state == TransactionState::kOpen) << id << " is still open";
    return;
  }
  // Nobody need remember it.
  if (heard.ended_at + kOutcomesKept <= engine().clock().Now()) return;
  const bool was_committed = *heard.end == TransactionState::kCommitted;
  EXPECT_EQ(was_committed, is_committed) << id << " ended otherwise";
  EXPECT_TRUE(!heard.was_begun || told.ok()) << id << " is forgotten";
}

}  // namespace wharf
