// Sending, accepting, receiving, settling, and messages that are named by their numbers.

#include <iterator>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/model/session_model_run.h"
#include "tests/harness/session_link.h"

namespace wharf {

using std::chrono::seconds;

LockToken SessionModelRun::AnyHold() {
  if (!model_->held().empty() && Below(8) != 0) {
    auto held = model_->held().begin();
    std::advance(held, Below(model_->held().size()));
    return held->second.token;
  }
  return holds_.empty() ? LockToken(1, 7) : holds_[Below(holds_.size())];
}

LockToken SessionModelRun::AnyToken() {
  std::vector<LockToken> in_flight;
  for (const auto& [number, message] : model_->main()) {
    if (message.token) in_flight.push_back(*message.token);
  }
  if (!in_flight.empty() && Below(8) != 0) return in_flight[Below(in_flight.size())];
  return tokens_.empty() ? LockToken(2, 7) : tokens_[Below(tokens_.size())];
}

SessionModelRun::Numbers SessionModelRun::AnyNumbers() {
  Numbers numbers;
  for (std::uint64_t count = 1 + Below(2); count > 0; --count) {
    const std::uint64_t next =
        Below(3) == 0 ? model_->next_scheduled_number() : model_->next_number(AnySession());
    const std::uint64_t first = next >> 48 << 48;
    const std::uint64_t number = first + Below(next - first + 1);
    if (numbers.empty() || numbers.front() != number) numbers.push_back(number);
  }
  return numbers;
}

template <typename IsMeant>
SessionModelRun::Numbers SessionModelRun::OneOf(IsMeant is_meant) {
  Numbers meant;
  for (const auto& [number, message] : model_->main()) {
    if (is_meant(message)) meant.push_back(number);
  }
  if (meant.empty() || Below(4) == 0) return AnyNumbers();
  return {meant[Below(meant.size())]};
}

Message SessionModelRun::AnyMessage() {
  constexpr std::size_t kSizes[] = {0, 1, 100, 4097, 20000};
  Message message;
  message.session_id = AnySession();
  message.body =
      fmt::format("{}:{}", ++bodies_, std::string(kSizes[Below(std::size(kSizes))], 'x'));
  if (Below(6) == 0) message.time_to_live = AnyDuration(1, 60);
  if (Below(6) == 0) message.scheduled_enqueue_time = now() + AnyDuration(0, 60);
  return message;
}

void SessionModelRun::Send() {
  std::vector<Message> messages(1 + Below(5));
  for (Message& message : messages) message = AnyMessage();
  const Result<SendReceipt> receipt = engine_.Send("orders", messages);
  ASSERT_TRUE(receipt.ok()) << receipt.status().ToString();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    ASSERT_TRUE((*receipt)[i].ok());
    EXPECT_EQ((*receipt)[i]->number.value(), model_->Send(messages[i], now()));
  }
}

// By a call, which has its token, or by a link.
Result<AcceptedSession> SessionModelRun::Accept(const std::optional<std::string>& session) {
  if (Below(3) != 0) return engine_.AcceptSession("orders", session);
  auto accepted = SessionLink::Accept(engine_, "orders", session);
  if (!accepted.ok()) return accepted.status();
  links_[accepted->session.token] = accepted->link;
  return accepted->session;
}

void SessionModelRun::NoteAccepted(const AcceptedSession& accepted) {
  EXPECT_EQ(accepted.until, now() + model_->description().lock_duration);
  model_->Accept(accepted.id, accepted.token, accepted.until, now(),
                 links_.contains(accepted.token));
  holds_.push_back(accepted.token);
}

// SES-4.
void SessionModelRun::AcceptNamed() {
  const std::string session = AnySession();
  const auto accepted = Accept(session);
  if (model_->IsHeld(session) || model_->held().size() >= held_max_) {
    ASSERT_FALSE(accepted.ok());
    EXPECT_EQ(accepted.status().code(), model_->IsHeld(session) ? ErrorCode::kSessionCannotBeLocked
                                                                : ErrorCode::kQuotaExceeded);
    return;
  }
  ASSERT_TRUE(accepted.ok()) << accepted.status().ToString();
  EXPECT_EQ(accepted->id, session);
  NoteAccepted(*accepted);
}

// SES-5, SES-6, SES-7.
void SessionModelRun::AcceptNext() {
  auto expected = model_->Next();
  if (model_->held().size() >= held_max_) expected.reset();
  const auto accepted = Accept(std::nullopt);
  if (!expected) {
    ASSERT_FALSE(accepted.ok()) << accepted->id;
    EXPECT_EQ(accepted.status().code(), ErrorCode::kServiceTimeout);
    return;
  }
  ASSERT_TRUE(accepted.ok()) << accepted.status().ToString();
  ASSERT_EQ(accepted->id, *expected);
  NoteAccepted(*accepted);
}

// SES-9.
void SessionModelRun::Renew() {
  const LockToken token = AnyHold();
  const std::string* session = model_->Holds(token);
  const auto until = engine_.RenewSession("orders", token);
  ASSERT_EQ(until.ok(), session != nullptr) << until.status().ToString();
  if (session == nullptr) {
    EXPECT_EQ(until.status().code(), ErrorCode::kSessionLockLost);
    return;
  }
  EXPECT_EQ(*until, now() + model_->description().lock_duration);
  model_->Renew(*session, *until);
}

// CNT-9. A link is detached, or somebody else gives back what it holds.
void SessionModelRun::Release() {
  const LockToken token = AnyHold();
  const std::string* session = model_->Holds(token);
  if (session != nullptr && links_.contains(token) && Below(2) == 0) {
    engine_.broker().Detach(links_.at(token));
    engine_.Run();
    return model_->End(std::string(*session), false, now());
  }
  const Status status = engine_.ReleaseSession("orders", token);
  ASSERT_EQ(status.ok(), session != nullptr) << status.ToString();
  if (session != nullptr) {
    model_->End(std::string(*session), false, now());
  } else {
    EXPECT_EQ(status.code(), ErrorCode::kSessionLockLost);
  }
}

void SessionModelRun::ForceRelease() {
  const std::string session = AnySession();
  const Status status = engine_.ForceReleaseSession("orders", session);
  ASSERT_EQ(status.ok(), model_->IsHeld(session)) << status.ToString();
  if (status.ok()) model_->End(session, false, now());
}

void SessionModelRun::Receive() {
  const LockToken token = AnyHold();
  const std::string* session = model_->Holds(token);
  const std::size_t count = 1 + Below(8);
  const bool is_delete = Below(5) == 0;
  const auto received = engine_.Receive(
      "orders", count, is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock, token);
  ASSERT_EQ(received.ok(), session != nullptr) << received.status().ToString();
  if (session == nullptr) {
    EXPECT_EQ(received.status().code(), ErrorCode::kSessionLockLost);
    return;
  }
  // Fewer may come at a time, when the rest has to be read first; but never others, and never
  // none.
  const auto expected = model_->Available(*session, count);
  ASSERT_LE(received->size(), expected.size());
  ASSERT_EQ(received->empty(), expected.empty());
  for (std::size_t i = 0; i < received->size(); ++i) {
    ASSERT_EQ((*received)[i].message->number.value(), expected[i]);
    TakeOne((*received)[i], *session, is_delete);
  }
}

// A message in flight is locked for as long as its session is (SES-12).
void SessionModelRun::TakeOne(const Delivered& delivered, const std::string& session,
                              bool is_delete) {
  const std::uint64_t number = delivered.message->number.value();
  Check(delivered, *model_->Find(number));
  if (is_delete) return model_->Remove(number);
  EXPECT_EQ(delivered.until, model_->held().at(session).until);
  model_->Lock(number, delivered.token);
  tokens_.push_back(delivered.token);
}

// DLQ-6: its messages are in no session.
void SessionModelRun::ReceiveDeadLetters() {
  const auto received =
      engine_.Receive("orders/$DeadLetterQueue", 1 + Below(4), ReceiveMode::kReceiveAndDelete);
  ASSERT_TRUE(received.ok()) << received.status().ToString();
  EXPECT_EQ(received->empty(), model_->dead_letters().empty());
  for (const Delivered& delivered : *received) {
    const std::uint64_t number = delivered.message->number.value();
    // Each partition keeps its order.
    const std::uint64_t first = FirstNumberOf(PartitionOf(delivered.message->number)).value();
    ASSERT_EQ(number, model_->dead_letters().lower_bound(first)->first);
    Check(delivered, model_->dead_letters().at(number));
    model_->RemoveDeadLetter(number);
  }
}

Settlement SessionModelRun::AnySettlement() {
  Settlement settlement;
  settlement.verb = static_cast<SettleVerb>(Below(5));
  if (settlement.verb == SettleVerb::kDeadLetter && Below(2) == 0) settlement.reason = "because";
  if (settlement.verb == SettleVerb::kAbandon && Below(2) == 0) {
    settlement.delay = AnyDuration(0, 50);
  }
  return settlement;
}

void SessionModelRun::Settle() {
  const LockToken token = AnyToken();
  const Settlement settlement = AnySettlement();
  const bool is_in_flight = model_->InFlight(token) != nullptr;
  const bool works = model_->Settle(token, settlement, now());
  const Status status = engine_.Settle("orders", token, settlement);
  EXPECT_EQ(status.ok(), works) << status.ToString();
  if (works) return;
  EXPECT_EQ(status.code(),
            is_in_flight ? ErrorCode::kInvalidOperation : ErrorCode::kSessionLockLost);
}

// All of it or nothing: the state, and the messages that are completed with it.
void SessionModelRun::SetState() {
  const LockToken hold = AnyHold();
  const std::string* session = model_->Holds(hold);
  std::optional<std::string> state;
  if (Below(4) != 0) state = std::string(Below(3) * 100, 's');
  TokenList completed;
  bool works = session != nullptr;
  for (std::uint64_t count = Below(3); count > 0; --count) {
    const LockToken token = AnyToken();
    const SessionMessage* message = model_->InFlight(token);
    if (message == nullptr || session == nullptr || message->session != *session) works = false;
    if (!completed.empty() && *completed.front() == token) works = false;
    completed.emplace_back(token);
  }
  const Status status = engine_.SetSessionState("orders", hold, state, completed);
  ASSERT_EQ(status.ok(), works) << status.ToString();
  if (!works) return;
  for (const Result<LockToken>& token : completed) {
    model_->Remove(model_->InFlight(*token)->number);
  }
  model_->SetState(*session, state, now());
}

// SST-2, SST-5.
void SessionModelRun::GetState() {
  const LockToken hold = AnyHold();
  const std::string* session = model_->Holds(hold);
  const auto state = engine_.GetSessionState("orders", hold);
  ASSERT_EQ(state.ok(), session != nullptr) << state.status().ToString();
  if (session == nullptr) return;
  const auto expected = model_->states().find(*session);
  ASSERT_EQ(state->has_value(), expected != model_->states().end());
  if (state->has_value()) {
    EXPECT_EQ(**state, expected->second.bytes);
  }
}

// DEF-7.
void SessionModelRun::ReceiveDeferred() {
  const LockToken hold = AnyHold();
  const std::string* session = model_->Holds(hold);
  const Numbers numbers = OneOf([](const SessionMessage& message) { return message.is_deferred; });
  const bool is_delete = Below(4) == 0;
  const auto received = engine_.ReceiveDeferred(
      "orders", numbers, is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock, hold);
  const bool works = session != nullptr && model_->TakeDeferred(*session, numbers, now());
  ASSERT_EQ(received.ok(), works) << received.status().ToString();
  if (!works) {
    EXPECT_EQ(received.status().code(),
              session == nullptr ? ErrorCode::kSessionLockLost : ErrorCode::kMessageNotFound);
    return;
  }
  ASSERT_EQ(received->size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ((*received)[i].message->number.value(), numbers[i]);
    TakeOne((*received)[i], *session, is_delete);
  }
}

void SessionModelRun::Undefer() {
  const Numbers numbers = OneOf([](const SessionMessage& message) { return message.is_deferred; });
  const Status status = engine_.Undefer("orders", numbers);
  EXPECT_EQ(status.ok(), model_->Undefer(numbers, now())) << status.ToString();
}

void SessionModelRun::ReceiveOne() {
  const LockToken hold = AnyHold();
  const std::string* session = model_->Holds(hold);
  const std::uint64_t number = OneOf([](const SessionMessage&) { return true; }).front();
  const SessionMessage* expected = model_->Find(number);
  const bool works = session != nullptr && expected != nullptr && expected->session == *session &&
                     expected->is_waiting();
  const auto received = engine_.ReceiveOne("orders", number, ReceiveMode::kPeekLock, hold);
  ASSERT_EQ(received.ok(), works) << received.status().ToString();
  if (!works) return;
  ASSERT_EQ(received->message->number.value(), number);
  TakeOne(*received, *session, false);
}

void SessionModelRun::SettleOne() {
  const std::uint64_t number = OneOf([](const SessionMessage&) { return true; }).front();
  std::optional<std::string> reason;
  if (Below(2) == 0) reason = "by number";
  const Status status = engine_.SettleOne(
      "orders", number,
      {.verb = reason ? SettleVerb::kDeadLetter : SettleVerb::kComplete, .reason = reason});
  EXPECT_EQ(status.ok(), model_->SettleOne(number, reason, now())) << status.ToString();
}

}  // namespace wharf
