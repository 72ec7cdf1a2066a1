// SessionFixture: a broker with a queue "jobs" that requires sessions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {

class SessionFixture : public ReceiverFixture {
 protected:
  explicit SessionFixture(const ShardLimits& limits = {}) : ReceiverFixture(limits) {
    EXPECT_TRUE(engine_.CreateQueue(Jobs()).ok());
  }

  static QueueDescription Jobs() {
    QueueDescription queue;
    queue.name = "jobs";
    queue.requires_session = true;
    queue.lock_duration = std::chrono::seconds(30);
    return queue;
  }
  // In one request.
  void SendTo(const std::string& session, std::size_t count = 1) {
    Message message = TenBytes();
    message.session_id = session;
    const auto sent = engine_.Send("jobs", std::vector<Message>(count, message));
    ASSERT_TRUE(sent.ok()) << sent.status().ToString();
  }
  // The next session, for whoever waits so long.
  static SessionChoice Next(Duration wait) { return {std::nullopt, wait}; }
  TestReceiver AttachFor(SessionUse use, std::uint64_t credit = 1000) {
    auto sink = std::make_shared<RecordingSink>();
    const auto attached = engine_.Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
      broker().Attach({"jobs", ReceiveMode::kPeekLock, std::move(use)}, sink, std::move(answer));
    });
    EXPECT_TRUE(attached.ok()) << attached.status().ToString();
    TestReceiver receiver{attached.ok() ? attached->id : HolderId(), sink};
    Grant(receiver, credit);
    return receiver;
  }
  void Detach(const TestReceiver& receiver) {
    broker().Detach(receiver.id);
    engine_.Run();
  }
  Broker::Cancel AskNext(Pending<AcceptedSession>& pending, Duration wait) {
    auto cancel = broker().AcceptSession("jobs", Next(wait), pending.answer());
    engine_.Run();
    return cancel;
  }
  Status Complete(const TestReceiver& receiver, std::size_t delivery) {
    return engine_.Complete("jobs", receiver.token(delivery));
  }
  // What each message of the session has failed so far.
  std::vector<std::uint32_t> CountsOf(const std::string& session) {
    std::vector<std::uint32_t> counts;
    const auto page = engine_.Peek("jobs", 0, 250, PeekFilter::kAll, session);
    for (const PeekedMessage& peeked : page->messages) counts.push_back(peeked.delivery.count);
    return counts;
  }
};

}  // namespace wharf
