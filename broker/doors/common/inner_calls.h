// InnerCalls: the unary calls of the gRPC API as another door of this daemon makes them in the name
// of its clients: who asks is whom that door has believed, and all else, rights, bounds, errors, is
// as for a client of gRPC.
//
// Of the gRPC door (doors/grpc/inner_channel.h); the console makes JSON of it. Any thread.
#pragma once

#include <functional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "broker/requests/caller.h"

namespace wharf {

class InnerCalls {
 public:
  struct Call {
    // "/wharf.v1.Messaging/Send".
    std::string method{};
    // The bytes of its message.
    std::string request{};
    // Its address, what it has proven, by which name it is told of, and how long it waits.
    Caller caller{};
  };
  struct Answer {
    // gRPC's number; 0: it was done, and this is the bytes of the answer's message.
    int code = 0;
    std::string response{};
    // Else what is said of it, and the bytes of a google.rpc.Status, if there are any.
    std::string message{};
    std::string details{};
  };
  // Called once, on any thread.
  using Done = absl::AnyInvocable<void(Answer answer) &&>;
  // Ends the call if it is not over; it is answered all the same. Any thread, any time.
  using Cancel = std::function<void()>;

  virtual ~InnerCalls() = default;
  virtual Cancel Begin(Call call, Done done) = 0;
};

}  // namespace wharf
