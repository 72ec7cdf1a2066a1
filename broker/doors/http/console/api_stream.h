// ApiStream: one stream of the gRPC API as a WebSocket: each text of its client is a request as
// JSON, each response a text.
//
//   MessageSocket --text--> JsonForm --bytes--> InnerCalls::Stream --> doors/grpc
//                 <--text--          <--bytes--
//
// An empty text says that no more requests come. One request and one response are on their way at a
// time, so that who does not read, or sends faster than is taken, waits in its own socket. At its
// end it tells by the code of the close how it ended: 1000, or 4000 and gRPC's number, and before
// that by a text with the error. A client that goes ends the stream.
//
// Begun by the ConsoleService; lives as long as something of it is under way. All of it happens on
// the strand of the socket.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "broker/doors/common/inner_calls.h"
#include "broker/doors/http/console/api_methods.h"
#include "broker/doors/http/console/visit.h"
#include "broker/doors/http/message_socket.h"

namespace wharf::console {

// The sub-protocol, for clients that name one.
inline constexpr std::string_view kStreamProtocol = "wharf.v1.json";

class ApiStream : public std::enable_shared_from_this<ApiStream> {
 public:
  // What is held as long as it is under way: the way to the broker, and its place.
  struct Held {
    std::shared_ptr<Visit> visit;
    std::shared_ptr<void> place;
    // Of the memory for answers: without it the next response waits.
    std::function<bool()> has_room;
    // Whoever began it has not signed out.
    std::function<bool()> is_signed_in;
    // Between two looks at all that.
    std::chrono::milliseconds pace{1000};
  };
  // Until the first request is there.
  static constexpr int kLooksToFirstRequest = 30;

  ApiStream(const ApiMethod& method, Held held, MessageSocketPtr socket);

  // Once. On the strand.
  void Begin(InnerCalls& calls);

 private:
  using Answer = InnerCalls::Answer;

  // From any thread to the strand.
  InnerCalls::StreamEvents Events();
  template <typename Step>
  void Post(Step step);

  void Hear();
  void OnText(const std::optional<std::string>& text);
  // The next request of its client, which is no more than that.
  Status Pass(const std::string& text);
  void OnTaken(bool is_taken);
  void OnResponse(const std::optional<std::string>& response);
  void OnSaid(bool is_said);
  void OnOver(Answer answer);

  // Now, or when there is room.
  void ReadNext();
  void Look();
  void OnLook();
  Status WhyOver() const;

  // What was taken is answered; then the stream ends with this.
  void EndRequests(const Status& why);
  void SayEnd();
  void Close(int code, std::string_view name);
  // Of a client that is gone.
  void Leave();

  const ApiMethod& method_;
  const Held held_;
  // Null: there is nobody any more to speak to.
  MessageSocketPtr socket_;
  const boost::asio::any_io_executor executor_;
  // Null: it is over, or let go of.
  std::unique_ptr<InnerCalls::Stream> stream_;
  boost::asio::steady_timer timer_;
  int looks_ = 0;
  bool has_asked_ = false;
  bool awaits_room_ = false;
  bool has_ended_requests_ = false;
  bool is_saying_ = false;
  // Why no more was taken of its client; ok: nothing was wrong with it.
  Status wrong_;
  // How the stream ended.
  std::optional<Answer> end_;
};

}  // namespace wharf::console
