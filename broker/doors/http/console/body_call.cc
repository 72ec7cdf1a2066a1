#include "broker/doors/http/console/body_call.h"

#include <charconv>
#include <utility>

#include <wharf/v1/messaging.pb.h>

#include "broker/doors/http/console/api_answer.h"
#include "broker/doors/http/console/body_upload.h"
#include "broker/doors/http/console/json_form.h"
#include "broker/doors/http/servicebus/target.h"

namespace wharf::console {
namespace {

constexpr std::string_view kMessageField = "X-Wharf-Message";
// Of one in a call; more goes by a stream.
constexpr std::size_t kCallBytesMax = std::size_t{1} << 20;

Status Bad(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

Result<std::int64_t> NumberOf(const Target& target) {
  const std::string* const text = target.Find("sequenceNumber");
  if (text == nullptr) return Bad("sequenceNumber says which message");
  std::int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return Bad("sequenceNumber is a whole number");
  return number;
}

HttpResponse ErrorFor(const BodyCall& call, const InnerCalls::Answer& answer) {
  return ErrorAnswer(answer, call.visit->tracking_id());
}

// --- looking at one ---

class Pieces : public std::enable_shared_from_this<Pieces> {
 public:
  Pieces(BodyCall call, const BodyRequest& request) : call_(std::move(call)) {
    wanted_.set_entity_path(request.entity_path);
    wanted_.set_sequence_number(*request.sequence_number);
  }

  // The first one: with it is known whether there is any.
  void Begin() {
    call_.reply->OnGone(Ask(
        [self = shared_from_this()](const InnerCalls::Answer& answer) { self->OnFirst(answer); }));
  }

 private:
  InnerCalls::Cancel Ask(InnerCalls::Done done) {
    return call_.calls->Begin({.method = "/wharf.v1.Messaging/PeekBody",
                               .request = wanted_.SerializeAsString(),
                               .caller = call_.visit->caller()},
                              std::move(done));
  }

  void OnFirst(const InnerCalls::Answer& answer) {
    v1::PeekBodyResponse piece;
    if (answer.code != 0 || !Take(answer, piece)) {
      return call_.reply->Answer(ErrorFor(call_, answer));
    }
    HttpResponse response{.type = "application/octet-stream"};
    response.fields.emplace_back("Content-Disposition", "attachment");
    response.source_bytes = static_cast<std::uint64_t>(piece.body_size());
    // Held until its last byte has left.
    response.source = [self = shared_from_this(), first = std::move(*piece.mutable_data())](
                          HttpGive give) mutable { self->Give(std::move(first), std::move(give)); };
    std::exchange(call_.reply, nullptr)->Answer(std::move(response));
  }

  // False: it is none of ours.
  bool Take(const InnerCalls::Answer& answer, v1::PeekBodyResponse& piece) {
    if (!piece.ParseFromString(answer.response)) return false;
    has_more_ = piece.has_next_byte();
    wanted_.set_from_byte(piece.next_byte());
    return true;
  }

  void Give(std::string first, HttpGive give) {
    if (!first.empty()) return std::move(give)(std::move(first));
    if (!has_more_) return std::move(give)(std::string());
    Ask([self = shared_from_this(), give = std::move(give)](InnerCalls::Answer answer) mutable {
      v1::PeekBodyResponse piece;
      if (answer.code == 0 && self->Take(answer, piece) && !piece.data().empty()) {
        return std::move(give)(std::move(*piece.mutable_data()));
      }
      std::move(give)(Status(ErrorCode::kGeneralError, answer.message));
    });
  }

  BodyCall call_;
  v1::PeekBodyRequest wanted_;
  bool has_more_ = false;
};

// --- sending one ---

void SendSmall(const BodyCall& call, const BodyRequest& request, std::string body) {
  v1::SendRequest send;
  send.set_entity_path(request.entity_path);
  v1::Message& message = *send.add_messages();
  message.ParseFromString(request.message);
  message.set_body(std::move(body));
  const auto answer = [call](const InnerCalls::Answer& answer) {
    v1::SendResponse response;
    const bool is_done = answer.code == 0 && response.ParseFromString(answer.response) &&
                         response.results_size() == 1;
    call.reply->Answer(is_done ? AnswerOfSent(response.results(0), *call.visit)
                               : ErrorFor(call, answer));
  };
  call.reply->OnGone(call.calls->Begin({.method = "/wharf.v1.Messaging/Send",
                                        .request = send.SerializeAsString(),
                                        .caller = call.visit->caller()},
                                       answer));
}

}  // namespace

Result<BodyRequest> ParseBodyRequest(const HttpRequest& head) {
  const Result<Target> target = ParseTarget(head.path, head.query);
  if (!target.ok()) return target.status();
  const std::string* const path = target->Find("entityPath");
  if (path == nullptr || path->empty()) return Bad("entityPath says of which entity");
  BodyRequest request{.entity_path = *path};
  if (head.method == "GET") {
    const Result<std::int64_t> number = NumberOf(*target);
    if (!number.ok()) return number.status();
    request.sequence_number = *number;
    return request;
  }
  const std::string* const properties = FindField(head.fields, kMessageField);
  if (properties == nullptr) return request;
  Result<std::string> message = BytesOfJson(*properties, *v1::Message::descriptor());
  if (!message.ok()) return Bad("X-Wharf-Message: " + message.status().message());
  request.message = *std::move(message);
  return request;
}

void AnswerBody(const BodyCall& call, const BodyRequest& request) {
  std::make_shared<Pieces>(call, request)->Begin();
}

void SendBody(const BodyCall& call, const BodyRequest& request, std::string body) {
  if (body.size() <= kCallBytesMax) return SendSmall(call, request, std::move(body));
  std::make_shared<BodyUpload>(call, request, std::move(body))->Begin();
}

}  // namespace wharf::console
