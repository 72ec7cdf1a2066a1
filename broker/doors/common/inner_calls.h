// InnerCalls: the calls and streams of the gRPC API as another door of this daemon makes them in
// the name of its clients: who asks is whom that door has believed, and all else, rights, bounds,
// errors, is as for a client of gRPC.
//
// Of the gRPC door (doors/grpc/inner_channel.h); the console makes JSON of it. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "broker/requests/caller.h"

namespace wharf {

class InnerCalls {
 public:
  struct Call {
    // "/wharf.v1.Messaging/Send".
    std::string method{};
    // The bytes of its message; of a stream there are none.
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

  // A stream, from the side of its client. At most one read and one write are under way, which may
  // be begun on two threads; it goes when nothing is begun any more. One that goes before it is
  // over is cancelled.
  class Stream {
   public:
    virtual ~Stream() = default;
    // The next response; OnRead follows.
    virtual void Read() = 0;
    // One more request; OnWritten follows.
    virtual void Write(const std::string& request) = 0;
    // There are no more requests; instead of a write.
    virtual void EndWrites() = 0;
  };
  // What comes of it, on any thread, also within one of its calls.
  struct StreamEvents {
    // Absent: there are no more.
    std::function<void(std::optional<std::string> response)> on_read;
    // False: nobody takes requests any more.
    std::function<void(bool is_taken)> on_written;
    // Once, when nothing is under way any more and the stream has been let go of.
    std::function<void(Answer answer)> on_over;
  };

  virtual ~InnerCalls() = default;
  virtual Cancel Begin(Call call, Done done) = 0;
  virtual std::unique_ptr<Stream> Open(Call call, StreamEvents events) = 0;
};

}  // namespace wharf
