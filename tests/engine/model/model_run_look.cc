// Looking at what there is: peeks, lists, the counters and the rows behind them.

#include <algorithm>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/model/model_look.h"
#include "tests/engine/model/model_run.h"
#include "tests/harness/message_accounts.h"
#include "tests/harness/track_accounts.h"

namespace wharf {

void ModelRun::CheckAccounts() {
  const Result<QueueSnapshot> snapshot = engine_.GetQueue("orders");
  ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
  const EntityId id = snapshot->record.id;
  EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kMain, snapshot->main), "");
  EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kDeadLetter, snapshot->dead_letter),
            "");
  EXPECT_EQ(FindStrayRows(engine_.store(), *snapshot), "");
  EXPECT_EQ(FindWrongTracks(engine_.store(), *snapshot), "");
  EXPECT_EQ(snapshot->main.messages(), Count(LaneKind::kMain));
  EXPECT_EQ(snapshot->dead_letter.messages(), Count(LaneKind::kDeadLetter));
  EXPECT_EQ(snapshot->main.scheduled, static_cast<std::int64_t>(model_->scheduled().size()));
}

void ModelRun::Check(const Delivered& delivered, const ModelMessage& expected) {
  EXPECT_EQ(delivered.message->number.value(), expected.number);
  EXPECT_EQ(delivered.message->message.body, expected.body) << expected.number;
  EXPECT_EQ(delivered.delivery.count, expected.delivery_count) << expected.number;
  EXPECT_EQ(PropertiesOf(*delivered.message, delivered.delivery), expected.properties)
      << expected.number;
  EXPECT_EQ(delivered.message->facts.expires_at, expected.expires_at) << expected.number;
  EXPECT_EQ(delivered.message->enqueued_at, expected.enqueued_at) << expected.number;
}

void ModelRun::ListScheduled() {
  const auto page = engine_.ListScheduled("orders");
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->messages.size(), model_->scheduled().size());
  Timestamp last;
  for (const MessagePtr& message : page->messages) {
    const Timestamp time = *message->message.scheduled_enqueue_time;
    EXPECT_EQ(time, model_->scheduled().at(message->number.value()).time);
    EXPECT_LE(last, time);
    last = time;
  }
}

std::vector<std::uint64_t> ModelRun::Shown(LaneKind lane, PeekFilter filter, std::uint64_t from,
                                           std::uint32_t delivery_count_min) const {
  std::vector<std::uint64_t> shown;
  for (const auto& [number, message] : model_->messages(lane)) {
    const bool is_deferred = message.is_deferred && !message.token;
    const bool is_meant = filter == PeekFilter::kAll ||
                          (filter == PeekFilter::kDeferred && is_deferred) ||
                          (filter == PeekFilter::kActive && !is_deferred) ||
                          (filter == PeekFilter::kDelayed && message.available_at.has_value());
    const bool is_counted = message.delivery_count >= delivery_count_min;
    if (number >= from && is_meant && is_counted) shown.push_back(number);
  }
  const bool with_scheduled = filter == PeekFilter::kAll || filter == PeekFilter::kScheduled;
  if (lane == LaneKind::kMain && with_scheduled && delivery_count_min == 0) {
    for (const auto& [number, waiting] : model_->scheduled()) {
      if (number >= from) shown.push_back(number);
    }
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

void ModelRun::Peek() {
  const LaneKind lane = AnyLane();
  const std::uint64_t from = AnyNumber() + Below(2);
  const auto filter = static_cast<PeekFilter>(Below(5));
  const std::size_t count = 1 + Below(10);
  const auto delivery_count_min = static_cast<std::uint32_t>(Below(3));
  const std::string sql = delivery_count_min == 0
                              ? std::string()
                              : fmt::format("sys.DeliveryCount >= {}", delivery_count_min);
  const Result<PeekPage> page = engine_.Peek(PathOf(lane), from, count, filter, std::nullopt, sql);
  ASSERT_TRUE(page.ok()) << page.status().ToString();
  const auto expected = Shown(lane, filter, from, delivery_count_min);
  ASSERT_EQ(page->messages.size(), std::min(count, expected.size()));
  for (std::size_t i = 0; i < page->messages.size(); ++i) {
    const PeekedMessage& peeked = page->messages[i];
    ASSERT_EQ(peeked.message->number.value(), expected[i]);
    if (peeked.is_scheduled) {
      EXPECT_EQ(peeked.message->message.body, model_->scheduled().at(expected[i]).message.body);
      continue;
    }
    const ModelMessage& message = *model_->Find(lane, expected[i]);
    Check({peeked.message, peeked.delivery, {}, kNever}, message);
    EXPECT_EQ(peeked.available_at, message.available_at.value_or(kNever));
    EXPECT_EQ(peeked.standing == Standing::kDeferred, message.is_deferred && !message.token);
  }
  if (filter == PeekFilter::kAll) {
    EXPECT_EQ(page->next.has_value(), expected.size() > count);
  }
}

}  // namespace wharf
