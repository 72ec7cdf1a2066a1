#include "broker/doors/http/console/console_service.h"

#include <utility>

#include "broker/doors/http/console/api_answer.h"
#include "broker/doors/http/console/json_form.h"
#include "broker/doors/http/console/open_api.h"
#include "broker/doors/http/router.h"

namespace wharf::console {
namespace {

constexpr std::string_view kDocumentPath = "/api/v1/openapi.json";

HttpService::Begun Refused(HttpResponse response) {
  return {.refused = ForBrowsers(std::move(response))};
}

HttpResponse WrongMethod(const char* allowed, const TrackingId& id) {
  HttpResponse response = ErrorAnswer(405, std::string("this is asked by ") + allowed, id);
  response.fields.emplace_back("Allow", allowed);
  return response;
}

HttpResponse AnswerOf(const ApiMethod& method, const InnerCalls::Answer& answer,
                      const TrackingId& id) {
  if (answer.code != 0) return ErrorAnswer(answer, id);
  Result<std::string> json = JsonOfBytes(answer.response, *method.descriptor->output_type());
  return json.ok() ? JsonAnswer(*std::move(json) + "\n") : ErrorAnswer(json.status(), id);
}

}  // namespace

class ConsoleService::Place {
 public:
  explicit Place(std::atomic<int>& taken) : taken_(taken), number_(++taken) {}
  ~Place() { --taken_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  bool is_one_too_many() const { return number_ > kCallsMax; }

 private:
  std::atomic<int>& taken_;
  const int number_;
};

ConsoleService::ConsoleService(World world, HostCheck hosts, const std::string& version)
    : world_(std::move(world)),
      hosts_(std::move(hosts)),
      document_(OpenApiDocument(version)),
      sign_in_(world_.sessions, world_.pace) {}

HttpService::Begun ConsoleService::Begin(HttpRequest head) {
  Credentials credentials = CredentialsOf(head);
  if (const ApiMethod* const method = FindApiMethod(head.path)) {
    return BeginCall(head, credentials, *method);
  }
  auto visit = std::make_shared<Visit>(world_.gate, head);
  const TrackingId id = visit->tracking_id();
  const Status foreign = CheckPage(head, credentials, visit->guard() == nullptr, hosts_);
  if (!foreign.ok()) return Refused(ErrorAnswer(foreign, id));
  if (head.path == SignIn::kPath) {
    Begun begun = sign_in_.Begin(std::move(head), std::move(credentials), std::move(visit));
    if (begun.refused) begun.refused = ForBrowsers(*std::move(begun.refused));
    return begun;
  }
  if (head.path == kDocumentPath) return BeginDocument(head);
  return Refused(
      IsStreamPath(head.path)
          ? ErrorAnswer(501, "a stream cannot be asked for as JSON: ask over gRPC", id)
          : ErrorAnswer(404, "there is nothing at this path: see /api/v1/openapi.json", id));
}

HttpService::Begun ConsoleService::BeginDocument(const HttpRequest& head) {
  if (!Router::IsLook(head.method)) return Refused(WrongMethod("GET", NewTrackingId()));
  return {.go_on = [this](const std::string& /*body*/, const HttpReplyPtr& reply) {
    reply->Answer(ForBrowsers(JsonAnswer(document_)));
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
  auto place = std::make_shared<Place>(calls_);
  if (place->is_one_too_many() || !world_.has_room()) {
    const Status busy(ErrorCode::kServiceBusy, "the console has as many calls as it takes");
    return Refused(ErrorAnswer(busy, id));
  }
  return {.go_on = [this, &method, visit = std::move(visit), place = std::move(place)](
                       const std::string& body, const HttpReplyPtr& reply) {
    Call(method, body, visit, place, reply);
  }};
}

// The way to the broker is held until the last byte has left.
void ConsoleService::Call(const ApiMethod& method, const std::string& body,
                          std::shared_ptr<Visit> visit, std::shared_ptr<Place> place,
                          const HttpReplyPtr& reply) {
  Result<std::string> request = BytesOfJson(body, *method.descriptor->input_type());
  InnerCalls* const calls = world_.calls();
  if (!request.ok() || calls == nullptr) {
    const Status why = request.ok() ? Status(ErrorCode::kServiceCommunicationProblem,
                                             "the broker is not there yet: ask again")
                                    : request.status();
    return reply->Answer(ForBrowsers(ErrorAnswer(why, visit->tracking_id())));
  }
  InnerCalls::Call call{
      .method = method.grpc_path, .request = *std::move(request), .caller = visit->caller()};
  reply->OnGone(calls->Begin(std::move(call), [&method, visit, place = std::move(place),
                                               reply](InnerCalls::Answer answer) {
    HttpResponse response = AnswerOf(method, answer, visit->tracking_id());
    response.written = [visit] {};
    reply->Answer(ForBrowsers(std::move(response)));
  }));
}

HttpResponse ConsoleService::Refusal(unsigned status, std::string_view why) {
  return ForBrowsers(ErrorAnswer(status, why, NewTrackingId()));
}

}  // namespace wharf::console
