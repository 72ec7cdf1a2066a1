#include "broker/doors/http/console/sign_in.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "broker/access/connection_string.h"
#include "broker/access/guard.h"
#include "broker/access/resource.h"
#include "broker/doors/http/console/api_answer.h"

namespace wharf::console {
namespace {

using access::PermitPtr;
using nlohmann::json;
using nlohmann::ordered_json;

Status Bad(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

// What a POST says.
struct Given {
  std::string key_name{};
  std::string key{};
  std::string signature{};
  std::string entity_path{};

  bool has_secret() const { return !key.empty() || !signature.empty(); }
};

Result<Given> OfConnectionString(const std::string& text) {
  Result<access::ConnectionString> connection = access::ParseConnectionString(text);
  if (!connection.ok()) return connection.status();
  if (!connection->has_secret()) return Bad("connectionString: there is no key in it");
  return Given{connection->key_name, connection->key, connection->signature,
               connection->entity_path};
}

std::string* FieldOf(const std::string& name, Given& given, std::string& connection) {
  if (name == "keyName") return &given.key_name;
  if (name == "key") return &given.key;
  if (name == "entityPath") return &given.entity_path;
  return name == "connectionString" ? &connection : nullptr;
}

// No sentence here repeats what was sent: it may be a key.
Result<Given> ParseGiven(const std::string& body) {
  Given given;
  if (body.empty()) return given;
  const json parsed = json::parse(body, nullptr, false);
  if (!parsed.is_object()) return Bad("the body is an object of JSON, in { }");
  std::string connection;
  for (const auto& [name, value] : parsed.items()) {
    std::string* const field = FieldOf(name, given, connection);
    if (field == nullptr) {
      return Bad("there are keyName, key, entityPath and connectionString, and nothing else");
    }
    if (!value.is_string()) return Bad(name + ": this is a text, in quotes");
    *field = value.get<std::string>();
  }
  const bool has_key = !given.key_name.empty() || !given.key.empty() || !given.entity_path.empty();
  if (!connection.empty() && has_key) return Bad("connectionString comes alone");
  if (!connection.empty()) return OfConnectionString(connection);
  if (given.key_name.empty() || given.key.empty()) return Bad("keyName and key come together");
  return given;
}

Result<PermitPtr> Prove(access::Guard& guard, const Given& given, const HttpRequest& head) {
  if (!given.signature.empty()) return guard.Prove(given.signature);
  if (given.has_secret()) {
    return guard.ProveKeyFor(access::ResourceOfUri(given.entity_path), given.key_name, given.key);
  }
  if (!head.subject.empty()) return guard.ProveCertificate(head.subject);
  return Bad("nothing is proven: send keyName and key, or connectionString");
}

ordered_json Description(const access::Guard* guard, const PermitPtr& permit) {
  // The rule lives as long as the book that has it, which others may replace at any time.
  const auto book = guard == nullptr ? nullptr : guard->book();
  const access::AccessRule* const rule =
      book == nullptr || permit == nullptr ? nullptr : book->RuleBehind(*permit);
  ordered_json rights = ordered_json::array();
  for (const access::Right right : access::kAllRights) {
    if (guard == nullptr || (rule != nullptr && rule->rights().Has(right))) {
      rights.push_back(access::NameOf(right));
    }
  }
  return {{"isAccessOn", guard != nullptr},
          {"rule", rule == nullptr ? "" : rule->name()},
          {"entityPath", permit == nullptr ? "" : permit->path},
          {"client", permit == nullptr ? "" : permit->client},
          {"rights", std::move(rights)}};
}

std::string LineOf(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

HttpResponse TooEarly(Duration wait, const TrackingId& id) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  HttpResponse response = ErrorAnswer(
      429, fmt::format("this address has failed to sign in: it may try in {} s", seconds), id);
  response.fields.emplace_back("Retry-After", std::to_string(seconds));
  return response;
}

HttpService::Begun Denied(HttpResponse response) { return {.refused = std::move(response)}; }

}  // namespace

HttpService::Begun SignIn::Begin(HttpRequest head, const Credentials& credentials,
                                 std::shared_ptr<Visit> visit) {
  if (head.method == "GET") return Tell(credentials, visit);
  if (head.method == "DELETE") return End(head, credentials, *visit);
  if (head.method != "POST") {
    HttpResponse response =
        ErrorAnswer(405, "a session is begun by POST and ended by DELETE", visit->tracking_id());
    response.fields.emplace_back("Allow", "DELETE, GET, POST");
    return Denied(std::move(response));
  }
  if (const Status closed = visit->AdmitStranger(); !closed.ok()) {
    return Denied(ErrorAnswer(closed, visit->tracking_id()));
  }
  return {.go_on = [this, head = std::move(head), visit = std::move(visit)](
                       const std::string& body, const HttpReplyPtr& reply) {
    HttpResponse response = Answer(head, body, *visit);
    response.written = [visit] {};
    reply->Answer(std::move(response));
  }};
}

HttpService::Begun SignIn::Tell(const Credentials& credentials,
                                const std::shared_ptr<Visit>& visit) {
  if (const Status refused = visit->Admit(credentials, sessions_); !refused.ok()) {
    return Denied(ErrorAnswer(refused, visit->tracking_id()));
  }
  return {.go_on = [visit](const std::string& /*body*/, const HttpReplyPtr& reply) {
    HttpResponse response = JsonAnswer(LineOf(Description(visit->guard(), visit->permit())));
    response.written = [visit] {};
    reply->Answer(std::move(response));
  }};
}

// One that is over already is ended as well.
HttpService::Begun SignIn::End(const HttpRequest& head, const Credentials& credentials,
                               const Visit& visit) {
  if (credentials.kind != Credentials::Kind::kSession) {
    return Denied(ErrorAnswer(400, "the request brings no session", visit.tracking_id()));
  }
  sessions_.End(credentials.text);
  const bool has_cookie = head.scheme == "https";
  return {.go_on = [has_cookie](const std::string& /*body*/, const HttpReplyPtr& reply) {
    HttpResponse response{.status = 204, .type = ""};
    if (has_cookie) response.fields.emplace_back("Set-Cookie", CookieThatEnds());
    reply->Answer(std::move(response));
  }};
}

HttpResponse SignIn::Answer(const HttpRequest& head, const std::string& body, const Visit& visit) {
  const TrackingId& id = visit.tracking_id();
  if (visit.guard() == nullptr) {
    return ErrorAnswer(Status(ErrorCode::kInvalidOperation, "access is off: nobody signs in here"),
                       id);
  }
  const Result<Given> given = ParseGiven(body);
  if (!given.ok()) return ErrorAnswer(given.status(), id);
  if (const Duration wait = pace_.WaitOf(head.peer); wait > Duration(0)) return TooEarly(wait, id);
  Result<PermitPtr> permit = Prove(*visit.guard(), *given, head);
  if (!permit.ok()) {
    if (permit.status().code() == ErrorCode::kUnauthorized) {
      pace_.NoteFailure(head.peer, given->key_name);
      visit.NoteRefusal(permit.status());
    }
    return ErrorAnswer(permit.status(), id);
  }
  pace_.NoteSuccess(head.peer, given->key_name);
  const Result<std::string> session = sessions_.Begin(*permit);
  if (!session.ok()) return ErrorAnswer(session.status(), id);
  ordered_json said = Description(visit.guard(), *permit);
  said["idleSeconds"] =
      std::chrono::duration_cast<std::chrono::seconds>(sessions_.limits().idle_max).count();
  const bool has_cookie = head.scheme == "https";
  if (!has_cookie) said["session"] = *session;
  HttpResponse response = JsonAnswer(LineOf(said));
  response.status = 201;
  if (has_cookie) response.fields.emplace_back("Set-Cookie", CookieOf(*session));
  return response;
}

}  // namespace wharf::console
