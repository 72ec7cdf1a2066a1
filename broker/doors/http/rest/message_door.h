// MessageDoor: the handler of what is asked of messages over HTTP: send, lock, take, and settle
// (RST-1 to RST-7). It translates and decides nothing. Made by the ServiceBusDoor; any thread.
#pragma once

#include <functional>

#include "broker/doors/http/servicebus/call.h"
#include "broker/doors/http/servicebus/data_route.h"

namespace wharf::rest {

class MessageDoor final : public ServiceBusHandler {
 public:
  // Whether what clients have not read leaves room for another answer. Any thread.
  using HasRoom = std::function<bool()>;

  explicit MessageDoor(HasRoom has_room) : has_room_(std::move(has_room)) {}

  void Handle(ServiceBusCallPtr call) override;

 private:
  void Receive(const ServiceBusCallPtr& call, const DataRoute& route, Duration wait) const;

  const HasRoom has_room_;
};

// For how long the broker works on a request at most: its parameter `timeout`, in seconds, or 60.
Result<Duration> TimeoutOf(const Target& target);

}  // namespace wharf::rest
