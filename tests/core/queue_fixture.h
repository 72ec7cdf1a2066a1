// QueueFixture: a queue alone, without a store; what a reader would bring is kept by the fixture.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/queue/queue.h"
#include "storage/base/clock.h"

namespace wharf {

class QueueFixture {
 public:
  explicit QueueFixture(QueueDescription description = {}, QueueLimits limits = {})
      : limits_(limits), queue_(ImageOf(std::move(description)), world_) {}

  Queue& queue() { return queue_; }
  ManualClock& clock() { return clock_; }
  Timestamp now() { return clock_.Now(); }

  // The changes of the last call.
  const Changes& changes() const { return changes_; }
  template <typename T>
  std::vector<T> ChangesOf() const {
    std::vector<T> found;
    for (const Change& change : changes_) {
      if (const auto* one = std::get_if<T>(&change)) found.push_back(*one);
    }
    return found;
  }

  Result<std::vector<Result<SendOutcome>>> Send(std::vector<Message> messages,
                                                bool atomic = false) {
    changes_.clear();
    auto result = queue_.sending().Send(std::move(messages), atomic, known_, now(), changes_);
    for (const auto& enqueued : ChangesOf<MessageEnqueued>()) {
      stored_[enqueued.message->number] = enqueued.message;
    }
    for (const auto& scheduled : ChangesOf<MessageScheduled>()) {
      stored_[scheduled.message->number] = scheduled.message;
    }
    return result;
  }
  Result<SequenceNumber> Send(const std::string& body = "x") {
    std::vector<Message> messages(1);
    messages[0].body = body;
    const auto result = Send(std::move(messages));
    if (!result.ok()) return result.status();
    if (!result->front().ok()) return result->front().status();
    return result->front()->number;
  }

  // Nothing if nothing can be delivered.
  std::optional<Delivered> Receive(LaneKind kind = LaneKind::kMain,
                                   ReceiveMode mode = ReceiveMode::kPeekLock) {
    changes_.clear();
    ReadWindow(kind);
    if (!queue_.receiving().CanDeliver({kind}, now())) return std::nullopt;
    return queue_.receiving().Deliver({kind}, mode, HolderId(1), now(), changes_);
  }
  Delivered SendAndReceive(const std::string& body = "x") {
    static_cast<void>(Send(body).ok());
    return Receive().value();
  }

  Status Settle(const LockToken& token, const Settlement& settlement,
                LaneKind kind = LaneKind::kMain) {
    changes_.clear();
    Contents contents;
    if (const auto number = queue_.settling().NeedsContent(kind, token, settlement, now())) {
      contents[*number] = stored_.at(*number);
    }
    Status status = queue_.settling().Settle(kind, token, settlement, contents, now(), changes_);
    for (const auto& moved : ChangesOf<MessageDeadLettered>()) {
      stored_[moved.message->number] = moved.message;
    }
    return status;
  }
  Status Settle(const LockToken& token, SettleVerb verb, LaneKind kind = LaneKind::kMain) {
    return Settle(token, Settlement{.verb = verb}, kind);
  }
  Result<Timestamp> Renew(const LockToken& token, LaneKind kind = LaneKind::kMain) {
    changes_.clear();
    return queue_.settling().RenewLock(kind, token, now(), changes_);
  }
  // Time passes, and locks end. Those that need content first.
  std::vector<LockToken> Advance(Duration span, LaneKind kind = LaneKind::kMain) {
    clock_.Advance(span);
    changes_.clear();
    return queue_.redelivery().ExpireLocks(kind, now(), 1000, changes_);
  }
  void Update(QueueDescription description) {
    changes_.clear();
    queue_.Update(std::move(description), now(), changes_);
  }
  const Contents& contents() const { return stored_; }

 private:
  static Queue::Image ImageOf(QueueDescription description) {
    if (description.name.empty()) description.name = "orders";
    Queue::Image image;
    image.record.id = EntityId(1);
    image.record.description = std::move(description);
    return image;
  }

  // Content of returned messages, as a reader brings it.
  void ReadWindow(LaneKind kind) {
    Lane& lane = queue_.lane(kind);
    while (const auto read = lane.NextRead(true)) {
      ContentBatch batch;
      for (const SequenceNumber number : std::get<ReadContent>(*read).numbers) {
        batch.messages.push_back(stored_.at(number));
      }
      lane.TakeRead(std::move(batch), clock_.Now(), changes_);
    }
    ReadTracks(lane);
  }

  void ReadTracks(Lane& lane) {
    if (lane.tracks() == nullptr) return;
    for (const auto& [track, read] : lane.tracks()->NextReads()) {
      ContentBatch batch;
      for (const SequenceNumber number : std::get<ReadContent>(read).numbers) {
        batch.messages.push_back(stored_.at(number));
      }
      lane.tracks()->TakeRead(track, std::move(batch));
    }
  }

  const QueueLimits limits_;
  ManualClock clock_{Timestamp(std::chrono::hours(1))};
  SeededRandom random_{1};
  Changes changes_;
  Contents stored_;
  KnownIds known_;
  Watches watches_;
  AwakeQueues awake_{limits_.look_pause};
  const Queue::World world_{limits_, random_, watches_, awake_};
  Queue queue_;
};

}  // namespace wharf
