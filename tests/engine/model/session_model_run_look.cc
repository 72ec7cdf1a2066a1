// Looking at what there is: peeks, lists, the counters and the rows behind them.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "tests/engine/model/session_model_run.h"
#include "tests/harness/message_accounts.h"
#include "tests/harness/session_accounts.h"

namespace wharf {

void SessionModelRun::CheckAccounts() {
  const Result<QueueSnapshot> snapshot = engine_.GetQueue("orders");
  ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  const EntityId id = snapshot->record.id;
  EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kMain, snapshot->main), "");
  EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kDeadLetter, snapshot->dead_letter),
            "");
  EXPECT_EQ(FindStrayRows(engine_.store(), *snapshot), "");
  EXPECT_EQ(FindWrongSessions(engine_.store(), *snapshot), "");
  EXPECT_EQ(snapshot->main.messages(), static_cast<std::int64_t>(model_->main().size()));
  EXPECT_EQ(snapshot->dead_letter.messages(),
            static_cast<std::int64_t>(model_->dead_letters().size()));
  EXPECT_EQ(snapshot->main.scheduled, static_cast<std::int64_t>(model_->scheduled().size()));
}

void SessionModelRun::Check(const Delivered& delivered, const SessionMessage& expected) {
  EXPECT_EQ(delivered.message->number.value(), expected.number);
  EXPECT_EQ(delivered.message->message.body, expected.body) << expected.number;
  EXPECT_EQ(delivered.message->message.session_id, expected.session) << expected.number;
  EXPECT_EQ(delivered.delivery.count, expected.delivery_count) << expected.number;
  EXPECT_EQ(delivered.message->facts.expires_at, expected.expires_at) << expected.number;
  EXPECT_EQ(delivered.message->enqueued_at, expected.enqueued_at) << expected.number;
  std::string reason;
  for (const auto& [name, value] : delivered.message->message.application_properties) {
    if (name == "DeadLetterReason") reason = std::get<std::string>(value);
  }
  EXPECT_EQ(reason, expected.dead_letter_reason) << expected.number;
}

// PEEK-8.
void SessionModelRun::Peek() {
  const bool is_main = Below(3) != 0;
  const auto& messages = is_main ? model_->main() : model_->dead_letters();
  std::optional<std::string> session;
  if (Below(3) != 0) session = AnySession();
  std::set<std::uint64_t> expected;
  for (const auto& [number, message] : messages) {
    if (!session || message.session == *session) expected.insert(number);
  }
  for (const auto& [number, scheduled] : model_->scheduled()) {
    if (is_main && (!session || scheduled.message.session == *session)) expected.insert(number);
  }
  const auto page = engine_.Peek(is_main ? "orders" : "orders/$DeadLetterQueue", 0, 250,
                                 PeekFilter::kAll, session);
  ASSERT_TRUE(page.ok()) << page.status().ToString();
  ASSERT_EQ(page->messages.size(), std::min<std::size_t>(expected.size(), 250));
  auto next = expected.begin();
  for (const PeekedMessage& peeked : page->messages) {
    ASSERT_EQ(peeked.message->number.value(), *next++);
    if (peeked.is_scheduled) continue;
    const SessionMessage& message = messages.at(peeked.message->number.value());
    Check({peeked.message, peeked.delivery, {}, kNever}, message);
    EXPECT_EQ(peeked.available_at, message.available_at.value_or(kNever));
    EXPECT_EQ(peeked.standing == Standing::kDeferred, message.is_deferred && !message.token);
    EXPECT_EQ(peeked.standing == Standing::kLocked, message.token.has_value());
  }
}

// SLS-1..3, SLS-5.
void SessionModelRun::ListSessions() {
  std::set<std::string> expected;
  const bool with_time = Below(3) == 0;
  const Timestamp since = with_time ? now() - std::chrono::seconds(Below(60)) : Timestamp();
  for (const auto& [session, state] : model_->states()) {
    if (state.updated_at >= since) expected.insert(session);
  }
  if (!with_time) {
    for (const auto& [session, hold] : model_->held()) expected.insert(session);
    for (const auto& [number, message] : model_->main()) {
      if (message.is_waiting() || message.token) expected.insert(message.session);
    }
  }
  ListSessionsRequest request{.entity = {"orders"}, .count_max = 1 + Below(4)};
  if (with_time) request.state_updated_since = since;
  std::vector<std::string> listed;
  do {
    const auto page = engine_.ListSessions(request);
    ASSERT_TRUE(page.ok()) << page.status().ToString();
    for (const SessionInfo& info : page->sessions) {
      listed.push_back(info.id);
      CheckListed(info);
    }
    request.after = page->next_after;
  } while (request.after);
  EXPECT_EQ(listed, std::vector<std::string>(expected.begin(), expected.end()));
}

// The deepest first, of those that are as deep the first by id.
void SessionModelRun::ListDeepest() {
  std::map<std::string, std::int64_t> waiting;
  for (const auto& [number, message] : model_->main()) {
    if (message.is_waiting()) ++waiting[message.session];
  }
  std::set<std::pair<std::int64_t, std::string>> expected;
  for (const auto& [session, messages] : waiting) expected.emplace(-messages, session);
  const std::size_t count = 1 + Below(6);
  const auto deepest = engine_.Await<DeepestSessions>([&](Answer<DeepestSessions> answer) {
    engine_.broker().ListDeepestSessions("orders", count, std::move(answer));
  });
  ASSERT_TRUE(deepest.ok()) << deepest.status().ToString();
  ASSERT_EQ(deepest->sessions.size(), std::min(count, expected.size()));
  auto next = expected.begin();
  for (const SessionDepth& depth : deepest->sessions) {
    EXPECT_EQ(std::pair(-depth.messages, depth.session), *next++);
  }
}

void SessionModelRun::CheckListed(const SessionInfo& info) {
  std::int64_t messages = 0;
  std::optional<SequenceNumber> oldest;
  Timestamp enqueued_at;
  for (const auto& [number, message] : model_->main()) {
    const bool counts = message.session == info.id && (message.is_waiting() || message.token);
    if (!counts) continue;
    ++messages;
    if (!oldest) enqueued_at = message.enqueued_at;
    if (!oldest) oldest = SequenceNumber(number);
  }
  EXPECT_EQ(info.messages, messages);
  EXPECT_EQ(info.oldest_number, oldest);
  EXPECT_EQ(info.oldest_enqueued_at, enqueued_at);
  const auto hold = model_->held().find(info.id);
  EXPECT_EQ(info.locked_until, hold == model_->held().end() ? kNever : hold->second.until);
  EXPECT_EQ(info.locked_since, hold == model_->held().end() ? kNever : hold->second.since);
  const auto state = model_->states().find(info.id);
  const bool has_state = state != model_->states().end();
  EXPECT_EQ(info.state_updated_at.has_value(), has_state);
  if (!has_state) return;
  EXPECT_EQ(*info.state_updated_at, state->second.updated_at);
  EXPECT_EQ(info.state_bytes, static_cast<std::int64_t>(state->second.bytes.size()));
}

}  // namespace wharf
