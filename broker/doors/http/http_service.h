// HttpService: what listeners of a kind answer to whatever is asked there.
//
// It sees a request twice: when its head is there, before a byte of its body is read, so that who
// may not ask sends nothing; and when all of it is. One may also ask to leave HTTP. It answers then
// or later, from any thread, and hears when its client goes meanwhile. Any thread; nothing here may
// wait.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "broker/doors/common/handed_stream.h"
#include "broker/doors/http/exchange.h"
#include "broker/doors/http/message_socket.h"

namespace wharf {

// Where the answer to one request goes. One that is dropped without an answer is answered by 500.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  // Once.
  virtual void Answer(HttpResponse response) = 0;
  // Called if the client goes before it is answered; at once if it is gone. Once a request.
  virtual void OnGone(std::function<void()> gone) = 0;
};
using HttpReplyPtr = std::shared_ptr<HttpReply>;

class HttpService {
 public:
  // What is to be done with the body when it is there; dropped if it never is.
  using Continue = absl::AnyInvocable<void(std::string body, HttpReplyPtr reply) &&>;
  // The connection becomes a WebSocket of this sub-protocol, for which all is in order, and whoever
  // `take` gives it to has it from then on; dropped if it breaks before.
  struct Upgrade {
    std::string protocol;
    absl::AnyInvocable<void(HandedStream stream) &&> take;
  };
  // The same, for who speaks in texts. It stays one of HTTP's connections.
  struct Texts {
    // Empty: none is named.
    std::string protocol;
    absl::AnyInvocable<void(MessageSocketPtr socket) &&> take;
  };
  // It is refused, goes on, or leaves HTTP in one of two ways.
  struct Begun {
    std::optional<HttpResponse> refused{};
    Continue go_on{};
    // With go_on: until its body is there, where that is sooner than for others.
    std::optional<std::chrono::milliseconds> body_max{};
    std::optional<Upgrade> upgrade{};
    std::optional<Texts> texts{};
  };

  virtual ~HttpService() = default;
  virtual Begun Begin(HttpRequest head) = 0;
  // What is answered to what cannot be read, or is too much; in the form of all its answers.
  virtual HttpResponse Refusal(unsigned status, std::string_view why) = 0;
};

}  // namespace wharf
