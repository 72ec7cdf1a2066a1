// ConsoleService: what listeners of the console answer: the JSON form of the gRPC API, and the
// page.
//
//   POST /api/v1/Messaging/Send        a unary method, by its service and its name
//   GET /api/v1/Messaging/SendStream   a stream, as a WebSocket (api_stream.h)
//   /api/v1/bodies                     the body of a message as it is (body_call.h)
//   /api/v1/session                    who is signed in (sign_in.h)
//   GET /api/v1/openapi.json           what there is
//   GET /                              the page, which asks all of that (page.h)
//
// A request is for this host and of no other page; then who asks is proven, before a byte of its
// body is read; then it becomes a call of the gRPC door, whose answer is its answer. Made by the
// ConsoleDoor; any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/common/inner_calls.h"
#include "broker/doors/http/console/api_methods.h"
#include "broker/doors/http/console/credentials.h"
#include "broker/doors/http/console/sessions.h"
#include "broker/doors/http/console/sign_in.h"
#include "broker/doors/http/console/visit.h"
#include "broker/doors/http/host_check.h"
#include "broker/doors/http/http_service.h"
#include "broker/doors/http/servicebus/http_counts.h"
#include "storage/base/executor.h"

namespace wharf::console {

// As what requests are counted; refused is what was, before anybody saw its body.
enum class ConsoleKind : std::uint8_t { kCall, kStream, kSession, kDocument, kPage, kRefused };
inline constexpr std::size_t kConsoleKinds = 6;
std::string_view NameOf(ConsoleKind kind);

class ConsoleService final : public HttpService {
 public:
  // Under way at a time; what would be more hears ServiceBusy. Streams have places of their own, so
  // that those who only look on keep nobody from asking.
  static constexpr int kCallsMax = 1'000;
  static constexpr int kStreamsMax = 500;

  // All of it outlives the service.
  struct World {
    // To the broker; and where this node takes part in a cluster what every node answers, else
    // null.
    CallGate& gate;
    const std::function<CallGate*()> cluster_gate;
    // Null as long as there is no gRPC door.
    const std::function<InnerCalls*()> calls;
    Sessions& sessions;
    SignInPace& pace;
    HttpCounts& counts;
    // Runs what makes a long answer: not on a thread of gRPC, where the calls of others would wait
    // behind it.
    const std::function<void(Work work)> aside;
    // Whether the memory for answers has room, also for so many bytes more.
    const std::function<bool(std::int64_t more)> has_room;
  };

  ConsoleService(World world, HostCheck hosts, const std::string& version);

  Begun Begin(HttpRequest head) override;
  HttpResponse Refusal(unsigned status, std::string_view why) override;

  // That are under way. Any thread.
  int open_calls() const { return calls_ + streams_; }

 private:
  // One of the calls that there may be; gives it back when it goes.
  class Place;

  Begun BeginCall(const HttpRequest& head, const Credentials& credentials, const ApiMethod& method);
  Begun BeginStream(const HttpRequest& head, const ApiMethod& method);
  Begun BeginBody(const HttpRequest& head, const Credentials& credentials);
  Begun BeginOther(HttpRequest head, const Credentials& credentials, ConsoleKind kind);
  Begun BeginDocument(const HttpRequest& head);
  Begun BeginPage(HttpRequest head, const TrackingId& id);
  // Null: there are as many as may be, or too much is unread, with what is expected of others. Its
  // own answer will have about so many bytes; 0: a few.
  std::shared_ptr<Place> TakePlace(std::atomic<int>& taken, int places,
                                   std::int64_t expected_bytes = 0);
  // Whether who brought this has not signed out since.
  std::function<bool()> SignedIn(const Visit& visit, const Credentials& credentials);
  // Counted, and with what every answer tells a browser.
  Begun Sealed(ConsoleKind kind, Begun begun);
  CallGate& GateOf(const ApiMethod& method) const;
  void Call(const ApiMethod& method, const std::string& body, const std::shared_ptr<Visit>& visit,
            const std::shared_ptr<Place>& place, const HttpReplyPtr& reply);

  const World world_;
  const HostCheck hosts_;
  const std::string document_;
  SignIn sign_in_;
  std::atomic<int> calls_ = 0;
  std::atomic<int> streams_ = 0;
  // Of long answers that are not there yet.
  std::atomic<std::int64_t> expected_bytes_ = 0;
};

}  // namespace wharf::console
