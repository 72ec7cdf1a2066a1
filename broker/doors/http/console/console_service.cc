#include "broker/doors/http/console/console_service.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <system_error>
#include <utility>

#include "broker/doors/common/held_bytes.h"
#include "broker/doors/http/console/api_answer.h"
#include "broker/doors/http/console/api_stream.h"
#include "broker/doors/http/console/body_call.h"
#include "broker/doors/http/console/json_form.h"
#include "broker/doors/http/console/open_api.h"
#include "broker/doors/http/console/page.h"
#include "broker/doors/http/router.h"
#include "broker/doors/http/web_socket_request.h"

namespace wharf::console {
namespace {

constexpr std::string_view kDocumentPath = "/api/v1/openapi.json";
// Anybody may ask for it, and read it slowly.
constexpr std::size_t kDocumentPiece = 16 * 1024;

// Of messages there is 1 MiB in an answer, as a rule; a body becomes longer as base64.
constexpr std::int64_t kLongAnswerBytes = 3 * 512 * 1024;

// Of who has proven nothing: a connection string, or a name and a key.
constexpr std::size_t kShortBytesMax = 16 * 1024;
constexpr std::chrono::seconds kShortTimeMax{5};

bool IsShort(const HttpRequest& head) {
  const std::string* const length = FindField(head.fields, "Content-Length");
  if (length == nullptr) return FindField(head.fields, "Transfer-Encoding") == nullptr;
  std::size_t bytes = 0;
  const char* const end = length->data() + length->size();
  return std::from_chars(length->data(), end, bytes).ec == std::errc() && bytes <= kShortBytesMax;
}

HttpService::Begun Refused(HttpResponse response) { return {.refused = std::move(response)}; }

// Counts an answer on its way.
class SealedReply final : public HttpReply {
 public:
  SealedReply(HttpReplyPtr reply, HttpCounts& counts, ConsoleKind kind)
      : reply_(std::move(reply)), counts_(counts), kind_(kind) {}

  void Answer(HttpResponse response) override {
    counts_.Note(static_cast<std::size_t>(kind_), response.status);
    reply_->Answer(ForBrowsers(std::move(response)));
  }
  void OnGone(std::function<void()> gone) override { reply_->OnGone(std::move(gone)); }

 private:
  const HttpReplyPtr reply_;
  HttpCounts& counts_;
  const ConsoleKind kind_;
};

// Of a path that is no method's.
ConsoleKind KindOf(std::string_view path) {
  if (path == SignIn::kPath) return ConsoleKind::kSession;
  if (IsPagePath(path)) return ConsoleKind::kPage;
  return path == kDocumentPath ? ConsoleKind::kDocument : ConsoleKind::kRefused;
}

HttpResponse WrongMethod(const char* allowed, const TrackingId& id) {
  HttpResponse response = ErrorAnswer(405, std::string("this is asked by ") + allowed, id);
  response.fields.emplace_back("Allow", allowed);
  return response;
}

Status Busy() { return {ErrorCode::kServiceBusy, "the console has as many calls as it takes"}; }
Status NotThere() {
  return {ErrorCode::kServiceCommunicationProblem, "the broker is not there yet: ask again"};
}

// Why what asks for a stream cannot have one.
std::optional<HttpResponse> WrongStream(const std::optional<WebSocketRequest>& request,
                                        const TrackingId& id) {
  if (!request || request->refusal == 426) {
    HttpResponse response =
        ErrorAnswer(426, "this is a stream: ask for it as a WebSocket of version 13", id);
    response.fields.emplace_back("Upgrade", "websocket");
    response.fields.emplace_back("Sec-WebSocket-Version", kWebSocketVersion);
    return response;
  }
  if (request->refusal != 0) return ErrorAnswer(request->refusal, request->why, id);
  const auto& offered = request->protocols;
  const bool is_ours = offered.empty() ||
                       std::find(offered.begin(), offered.end(), kStreamProtocol) != offered.end();
  if (is_ours) return std::nullopt;
  return ErrorAnswer(400, "the sub-protocol of a stream is wharf.v1.json", id);
}

HttpResponse AnswerOf(const ApiMethod& method, const InnerCalls::Answer& answer,
                      const TrackingId& id) {
  if (answer.code != 0) return ErrorAnswer(answer, id);
  Result<std::string> json = JsonOfBytes(answer.response, *method.descriptor->output_type());
  return json.ok() ? JsonAnswer(*std::move(json) + "\n") : ErrorAnswer(json.status(), id);
}

}  // namespace

std::string_view NameOf(ConsoleKind kind) {
  constexpr std::array<std::string_view, kConsoleKinds> kNames = {"call",     "stream", "session",
                                                                  "document", "page",   "refused"};
  return kNames[static_cast<std::size_t>(kind)];
}

class ConsoleService::Place {
 public:
  Place(std::atomic<int>& taken, int places, HeldBytes::Total& expected, std::int64_t bytes)
      : taken_(taken), is_there_(++taken <= places), expected_(expected) {
    expected_.Set(bytes);
  }
  ~Place() { --taken_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  bool is_there() const { return is_there_; }

 private:
  std::atomic<int>& taken_;
  const bool is_there_;
  // Until the answer is there, and counted where it waits for its client.
  HeldBytes expected_;
};

ConsoleService::ConsoleService(World world, HostCheck hosts, const std::string& version)
    : world_(std::move(world)),
      hosts_(std::move(hosts)),
      document_(OpenApiDocument(version)),
      sign_in_(world_.sessions, world_.pace) {}

HttpService::Begun ConsoleService::Begin(HttpRequest head) {
  const Credentials credentials = CredentialsOf(head);
  if (const ApiMethod* const method = FindApiMethod(head.path)) {
    return Sealed(ConsoleKind::kCall, BeginCall(head, credentials, *method));
  }
  if (const ApiMethod* const stream = FindApiStream(head.path)) {
    return Sealed(ConsoleKind::kStream, BeginStream(head, *stream));
  }
  if (head.path == kBodiesPath) return Sealed(ConsoleKind::kCall, BeginBody(head, credentials));
  const ConsoleKind kind = KindOf(head.path);
  return Sealed(kind, BeginOther(std::move(head), credentials, kind));
}

HttpService::Begun ConsoleService::Sealed(ConsoleKind kind, Begun begun) {
  if (begun.refused) {
    world_.counts.Note(static_cast<std::size_t>(ConsoleKind::kRefused), begun.refused->status);
    return Refused(ForBrowsers(*std::move(begun.refused)));
  }
  if (begun.texts) {
    world_.counts.Note(static_cast<std::size_t>(kind), 200);
    return begun;
  }
  return {.go_on =
              [this, kind, go_on = std::move(begun.go_on)](std::string body,
                                                           HttpReplyPtr reply) mutable {
                std::move(go_on)(std::move(body), std::make_shared<SealedReply>(
                                                      std::move(reply), world_.counts, kind));
              },
          .body_max = begun.body_max};
}

HttpService::Begun ConsoleService::BeginOther(HttpRequest head, const Credentials& credentials,
                                              ConsoleKind kind) {
  auto visit = std::make_shared<Visit>(world_.gate, head);
  const TrackingId id = visit->tracking_id();
  const Status foreign = CheckPage(head, credentials, visit->guard() == nullptr, hosts_);
  if (!foreign.ok()) return Refused(ErrorAnswer(foreign, id));
  if (!IsShort(head)) {
    return Refused(ErrorAnswer(413, "a body here has 16 KiB at most, and says how long it is", id));
  }
  if (kind == ConsoleKind::kSession) {
    Begun begun = sign_in_.Begin(std::move(head), credentials, std::move(visit));
    begun.body_max = kShortTimeMax;
    return begun;
  }
  if (kind == ConsoleKind::kDocument) return BeginDocument(head);
  if (kind == ConsoleKind::kPage) return BeginPage(std::move(head), id);
  return Refused(ErrorAnswer(404, "there is nothing at this path: see /api/v1/openapi.json", id));
}

HttpService::Begun ConsoleService::BeginDocument(const HttpRequest& head) {
  if (!Router::IsLook(head.method)) return Refused(WrongMethod("GET", NewTrackingId()));
  if (!world_.has_room(0)) {
    return Refused(ErrorAnswer(Status(ErrorCode::kServiceBusy, "too much is unread: ask again"),
                               NewTrackingId()));
  }
  return {.go_on = [this](const std::string& /*body*/, const HttpReplyPtr& reply) {
    HttpResponse response = JsonAnswer({});
    response.pieces = [rest = std::string_view(document_)]() mutable {
      const std::string_view piece = rest.substr(0, kDocumentPiece);
      rest.remove_prefix(piece.size());
      return std::string(piece);
    };
    reply->Answer(std::move(response));
  }};
}

HttpService::Begun ConsoleService::BeginPage(HttpRequest head, const TrackingId& id) {
  if (!Router::IsLook(head.method)) return Refused(WrongMethod("GET", id));
  if (!world_.has_room(0)) {
    return Refused(
        ErrorAnswer(Status(ErrorCode::kServiceBusy, "too much is unread: ask again"), id));
  }
  return {.go_on = [head = std::move(head), id](const std::string& /*body*/,
                                                const HttpReplyPtr& reply) {
    reply->Answer(PageAnswer(head, PageFiles(), id));
  }};
}

CallGate& ConsoleService::GateOf(const ApiMethod& method) const {
  CallGate* const of_cluster = method.is_of_every_node ? world_.cluster_gate() : nullptr;
  return of_cluster == nullptr ? world_.gate : *of_cluster;
}

HttpService::Begun ConsoleService::BeginCall(const HttpRequest& head,
                                             const Credentials& credentials,
                                             const ApiMethod& method) {
  auto visit = std::make_shared<Visit>(GateOf(method), head);
  const TrackingId& id = visit->tracking_id();
  const Status foreign = CheckPage(head, credentials, visit->guard() == nullptr, hosts_);
  if (!foreign.ok()) return Refused(ErrorAnswer(foreign, id));
  if (head.method != "POST") return Refused(WrongMethod("POST", id));
  if (const Status refused = visit->Admit(credentials, world_.sessions); !refused.ok()) {
    return Refused(ErrorAnswer(refused, id));
  }
  return {.go_on = [this, &method, visit = std::move(visit)](const std::string& body,
                                                             const HttpReplyPtr& reply) {
    // Not before its body is there: who sends none takes no place from others.
    const std::int64_t expected = method.is_long ? kLongAnswerBytes : 0;
    if (auto place = TakePlace(calls_, kCallsMax, expected)) {
      return Call(method, body, visit, place, reply);
    }
    reply->Answer(ErrorAnswer(Busy(), visit->tracking_id()));
  }};
}

std::shared_ptr<ConsoleService::Place> ConsoleService::TakePlace(std::atomic<int>& taken,
                                                                 int places,
                                                                 std::int64_t expected_bytes) {
  auto place = std::make_shared<Place>(taken, places, expected_bytes_, expected_bytes);
  const std::int64_t more = expected_bytes == 0 ? 0 : expected_bytes_.load();
  return place->is_there() && world_.has_room(more) ? place : nullptr;
}

HttpService::Begun ConsoleService::BeginBody(const HttpRequest& head,
                                             const Credentials& credentials) {
  auto visit = std::make_shared<Visit>(world_.gate, head);
  const TrackingId& id = visit->tracking_id();
  const Status foreign = CheckPage(head, credentials, visit->guard() == nullptr, hosts_);
  if (!foreign.ok()) return Refused(ErrorAnswer(foreign, id));
  const bool is_look = head.method == "GET";
  if (!is_look && head.method != "POST") return Refused(WrongMethod("GET, POST", id));
  if (const Status refused = visit->Admit(credentials, world_.sessions); !refused.ok()) {
    return Refused(ErrorAnswer(refused, id));
  }
  Result<BodyRequest> request = ParseBodyRequest(head);
  if (!request.ok()) return Refused(ErrorAnswer(request.status(), id));
  return {.go_on = [this, is_look, visit = std::move(visit), request = *std::move(request)](
                       std::string body, const HttpReplyPtr& reply) {
    auto place = TakePlace(calls_, kCallsMax);
    InnerCalls* const calls = world_.calls();
    if (place == nullptr || calls == nullptr) {
      const Status why = place == nullptr ? Busy() : NotThere();
      return reply->Answer(ErrorAnswer(why, visit->tracking_id()));
    }
    const BodyCall call{visit, std::move(place), calls, reply};
    is_look ? AnswerBody(call, request) : SendBody(call, request, std::move(body));
  }};
}

// A session does not rest while a stream that it began is there. It is not asked for otherwise.
std::function<bool()> ConsoleService::SignedIn(const Visit& visit, const Credentials& credentials) {
  const bool is_session = credentials.kind == Credentials::Kind::kSession;
  if (visit.guard() == nullptr || !is_session) return [] { return true; };
  return [this, id = credentials.text] { return world_.sessions.Find(id) != nullptr; };
}

HttpService::Begun ConsoleService::BeginStream(const HttpRequest& head, const ApiMethod& method) {
  const std::optional<WebSocketRequest> request = WebSocketRequestOf(head);
  const std::vector<std::string> protocols =
      request ? request->protocols : std::vector<std::string>();
  const Credentials credentials = CredentialsOf(head, protocols);
  auto visit = std::make_shared<Visit>(GateOf(method), head);
  const TrackingId& id = visit->tracking_id();
  const Status foreign = CheckPage(head, credentials, visit->guard() == nullptr, hosts_);
  if (!foreign.ok()) return Refused(ErrorAnswer(foreign, id));
  if (auto wrong = WrongStream(request, id)) return Refused(*std::move(wrong));
  if (const Status refused = visit->Admit(credentials, world_.sessions); !refused.ok()) {
    return Refused(ErrorAnswer(refused, id));
  }
  auto place = TakePlace(streams_, kStreamsMax);
  InnerCalls* const calls = world_.calls();
  if (place == nullptr || calls == nullptr) {
    return Refused(ErrorAnswer(place == nullptr ? Busy() : NotThere(), id));
  }
  ApiStream::Held held{.visit = visit,
                       .place = std::move(place),
                       .has_room = [this] { return world_.has_room(0); },
                       .is_signed_in = SignedIn(*visit, credentials)};
  auto take = [&method, calls, held = std::move(held)](MessageSocketPtr socket) mutable {
    std::make_shared<ApiStream>(method, std::move(held), std::move(socket))->Begin(*calls);
  };
  return {.texts = Texts{protocols.empty() ? "" : std::string(kStreamProtocol), std::move(take)}};
}

// The way to the broker is held until the last byte has left.
void ConsoleService::Call(const ApiMethod& method, const std::string& body,
                          const std::shared_ptr<Visit>& visit, const std::shared_ptr<Place>& place,
                          const HttpReplyPtr& reply) {
  Result<std::string> request = BytesOfJson(body, *method.descriptor->input_type());
  InnerCalls* const calls = world_.calls();
  if (!request.ok() || calls == nullptr) {
    const Status why = request.ok() ? NotThere() : request.status();
    return reply->Answer(ErrorAnswer(why, visit->tracking_id()));
  }
  InnerCalls::Call call{
      .method = method.grpc_path, .request = *std::move(request), .caller = visit->caller()};
  const auto tell = [&method, visit, place, reply](const InnerCalls::Answer& answer) {
    HttpResponse response = AnswerOf(method, answer, visit->tracking_id());
    response.written = [visit] {};
    reply->Answer(std::move(response));
  };
  reply->OnGone(calls->Begin(std::move(call), [this, &method, tell](InnerCalls::Answer answer) {
    if (!method.is_long) return tell(answer);
    world_.aside([tell, answer = std::move(answer)] { tell(answer); });
  }));
}

HttpResponse ConsoleService::Refusal(unsigned status, std::string_view why) {
  world_.counts.Note(static_cast<std::size_t>(ConsoleKind::kRefused), status);
  return ForBrowsers(ErrorAnswer(status, why, NewTrackingId()));
}

}  // namespace wharf::console
