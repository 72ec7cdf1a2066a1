#include "broker/doors/http/console/api_answer.h"

#include <algorithm>
#include <array>
#include <utility>

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <nlohmann/json.hpp>

#include "broker/core/messages/text.h"

namespace wharf::console {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kSentenceBytesMax = 1024;
constexpr const char* kRetrySeconds = "1";

constexpr std::array kCodes = {ApiCode{0, "OK", 200},
                               ApiCode{1, "CANCELLED", 499},
                               ApiCode{2, "UNKNOWN", 500},
                               ApiCode{3, "INVALID_ARGUMENT", 400},
                               ApiCode{4, "DEADLINE_EXCEEDED", 504},
                               ApiCode{5, "NOT_FOUND", 404},
                               ApiCode{6, "ALREADY_EXISTS", 409},
                               ApiCode{7, "PERMISSION_DENIED", 403},
                               ApiCode{8, "RESOURCE_EXHAUSTED", 429},
                               ApiCode{9, "FAILED_PRECONDITION", 400},
                               ApiCode{10, "ABORTED", 409},
                               ApiCode{11, "OUT_OF_RANGE", 400},
                               ApiCode{12, "UNIMPLEMENTED", 501},
                               ApiCode{13, "INTERNAL", 500},
                               ApiCode{14, "UNAVAILABLE", 503},
                               ApiCode{15, "DATA_LOSS", 500},
                               ApiCode{16, "UNAUTHENTICATED", 401}};

// What an error says beside its sentence.
struct About {
  std::string code;
  std::string entity_path{};
  bool is_transient = false;
  std::string outcome = "not-done";
  std::string leader{};
};

HttpResponse ErrorOf(unsigned http, std::string_view name, std::string_view sentence,
                     const About& about, const std::string& tracking_id) {
  ordered_json error{{"code", about.code},
                     {"status", name},
                     {"message", Shortened(sentence, kSentenceBytesMax)},
                     {"entityPath", about.entity_path},
                     {"isTransient", about.is_transient},
                     {"outcome", about.outcome},
                     {"trackingId", tracking_id}};
  if (!about.leader.empty()) error["leader"] = about.leader;
  const ordered_json body{{"error", std::move(error)}};
  HttpResponse response =
      JsonAnswer(body.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  response.status = http;
  if (http == 401) response.fields.emplace_back("WWW-Authenticate", "SharedAccessSignature");
  if (http == 503) response.fields.emplace_back("Retry-After", kRetrySeconds);
  return response;
}

About AboutOf(const Status& status) {
  return {.code = std::string(ReasonOf(status.code())),
          .is_transient = IsTransient(status.code()),
          .outcome = status.outcome() == Outcome::kUnknown ? "unknown" : "not-done",
          .leader = status.leader()};
}

// What gRPC itself says carries no details: then nobody knows whether it was done.
About AboutOf(const InnerCalls::Answer& answer) {
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  const bool has_info = details.ParseFromString(answer.details) && details.details_size() > 0 &&
                        details.details(0).UnpackTo(&info);
  if (!has_info) return {.code = "GeneralError", .is_transient = true, .outcome = "unknown"};
  const auto& metadata = info.metadata();
  const auto value = [&metadata](const char* name) {
    const auto found = metadata.find(name);
    return found == metadata.end() ? std::string() : found->second;
  };
  return {.code = info.reason(),
          .entity_path = value("entity_path"),
          .is_transient = value("is_transient") == "true",
          .outcome = value("outcome"),
          .leader = value("leader")};
}

unsigned KnownOrServerError(unsigned http) {
  const bool is_known = std::any_of(kCodes.begin(), kCodes.end(),
                                    [http](const ApiCode& code) { return code.http == http; });
  return is_known ? http : (http < 500 ? 400 : 500);
}

std::string_view NameOfHttp(unsigned http) {
  const unsigned known = KnownOrServerError(http);
  return std::find_if(kCodes.begin(), kCodes.end(),
                      [known](const ApiCode& code) { return code.http == known; })
      ->name;
}

ErrorCode ReasonOfHttp(unsigned http) {
  switch (http) {
    case 401:
      return ErrorCode::kUnauthorized;
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kMessagingEntityNotFound;
    case 413:
      return ErrorCode::kMessageSizeExceeded;
    case 429:
    case 503:
      return ErrorCode::kServiceBusy;
    case 501:
      return ErrorCode::kNotImplemented;
    default:
      return http < 500 ? ErrorCode::kArgumentError : ErrorCode::kGeneralError;
  }
}

int GrpcOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return 0;
    case ErrorCode::kArgumentError:
    case ErrorCode::kMessageSizeExceeded:
      return 3;
    case ErrorCode::kServiceTimeout:
      return 4;
    case ErrorCode::kInvalidOperation:
      return 9;
    case ErrorCode::kServiceBusy:
    case ErrorCode::kServiceCommunicationProblem:
    case ErrorCode::kPartitionNotOwned:
      return 14;
    case ErrorCode::kForbidden:
      return 7;
    case ErrorCode::kUnauthorized:
      return 16;
    default:
      return 13;
  }
}

}  // namespace

const ApiCode& ApiCodeOf(int grpc) {
  const bool is_known = grpc >= 0 && grpc < static_cast<int>(kCodes.size());
  return kCodes[is_known ? static_cast<std::size_t>(grpc) : 2];
}

const ApiCode& ApiCodeOf(ErrorCode code) { return ApiCodeOf(GrpcOf(code)); }

HttpResponse JsonAnswer(std::string json) {
  return {.type = "application/json", .body = std::move(json)};
}

HttpResponse ErrorAnswer(const Status& status, const TrackingId& tracking_id) {
  const ApiCode& code = ApiCodeOf(status.code());
  return ErrorOf(code.http, code.name, status.message(), AboutOf(status), ToString(tracking_id));
}

HttpResponse ErrorAnswer(unsigned http, std::string_view why, const TrackingId& tracking_id) {
  const ErrorCode reason = ReasonOfHttp(http);
  return ErrorOf(http, NameOfHttp(http), why,
                 {.code = std::string(ReasonOf(reason)), .is_transient = IsTransient(reason)},
                 ToString(tracking_id));
}

HttpResponse ErrorAnswer(const InnerCalls::Answer& answer, const TrackingId& tracking_id) {
  const ApiCode& code = ApiCodeOf(answer.code);
  return ErrorOf(code.http, code.name, answer.message, AboutOf(answer), ToString(tracking_id));
}

HttpResponse ForBrowsers(HttpResponse response) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kForbidden = {{
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy",
       "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
  }};
  for (const auto& [name, value] : kForbidden) {
    if (FindField(response.fields, name) == nullptr) response.fields.emplace_back(name, value);
  }
  return response;
}

}  // namespace wharf::console
