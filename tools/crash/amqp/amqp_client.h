// AmqpClient: a client of the AMQP door, on the endpoint that the door has, too: it dials, says
// what it is told, and hears the answers. Knows nothing of the history.
//
// A blocking client: whoever waits for something works on the socket meanwhile. Made, used and
// dropped on one thread. What is asked for and has no answer when the connection ends is answered
// then, by what the broker said at its end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/doors/amqp/endpoint/connection.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::crash {

class AmqpClient {
 public:
  // What the broker made of a delivery, or of what was said of one.
  using Answered = std::function<void(const Result<amqp::DeliveryState>& state)>;
  struct Sending {
    std::string message;
    std::uint32_t format = 0;
    // Of a message in a transaction.
    std::optional<amqp::DeliveryState> state{};
  };
  struct Received {
    amqp::DeliveryId delivery;
    std::string tag;
    std::string message;
  };

  // To the first of the addresses ("127.0.0.1:5672") where somebody lets it in.
  static Result<std::unique_ptr<AmqpClient>> Dial(const std::vector<std::string>& addresses);
  // Just goes, as one does that dies.
  ~AmqpClient();
  AmqpClient(const AmqpClient&) = delete;
  AmqpClient& operator=(const AmqpClient&) = delete;

  // With a name of its own. The peer's answer; an error if it does not want such a link.
  struct Opened {
    amqp::LinkId link;
    amqp::Attach answer;
  };
  Result<Opened> Open(amqp::Attach attach);
  // Every answer that comes before it is heard before. SessionLockLost: its session was lost
  // before.
  Status Detach(amqp::LinkId link);

  void Send(amqp::LinkId link, Sending sending, Answered answered);
  void Settle(amqp::LinkId link, amqp::DeliveryId delivery, amqp::DeliveryState state,
              Answered answered);
  void SetCredit(amqp::LinkId link, std::uint32_t credit);
  // Until the broker has sent what it has for the credit, or given the rest back.
  Status Drain(amqp::LinkId link);
  // The next whole message.
  std::optional<Received> Take(amqp::LinkId link);

  // Works until there is a message; nothing if none comes in time.
  Result<std::optional<Received>> AwaitMessage(amqp::LinkId link, Duration patience);
  // Until everything that was asked for is answered.
  Status AwaitAnswers();
  // Why the link, or the connection, is over; ok while it stands.
  Status StateOf(amqp::LinkId link) const;

 private:
  using Clock = std::chrono::steady_clock;
  using Place = std::pair<amqp::LinkId, amqp::DeliveryId>;
  struct Waiting {
    amqp::LinkId link;
    Sending sending;
    std::size_t sent = 0;
    Answered answered;
  };
  struct Incoming {
    Received part{};
    std::deque<Received> whole{};
    bool is_drained = false;
  };

  AmqpClient(int socket, Clock::time_point now);
  static Result<int> Connect(const std::string& address);

  // An error if it takes too long, or the connection is over and `is_done` is not true.
  Status Await(const std::function<bool()>& is_done, Duration patience);
  void Step(Clock::time_point until);
  void Flush();
  void ReadSome();
  // Handles what was heard, and sends what may be sent.
  void Work();
  void On(amqp::Event& event);
  void OnDelivered(const amqp::Delivered& part);
  void OnDisposed(const amqp::Disposed& disposed);
  void OnDetached(const amqp::Detached& detached);
  void SendWaiting();
  // Nothing more is heard.
  void End(Status why);
  void Answer(const Place& place, const Result<amqp::DeliveryState>& state);
  // All of this link, or all; for this reason.
  void AnswerAll(std::optional<amqp::LinkId> link, const Status& why);

  const int socket_;
  amqp::Connection endpoint_;
  std::string output_;
  std::optional<amqp::SessionId> session_;
  std::uint64_t names_ = 0;
  // Why it is over.
  Status over_;
  std::map<amqp::LinkId, amqp::Attach> attached_;
  std::map<amqp::LinkId, Status> detached_;
  std::deque<Waiting> waiting_;
  std::map<Place, Answered> asked_;
  std::map<amqp::LinkId, Incoming> incoming_;
};

}  // namespace wharf::crash
