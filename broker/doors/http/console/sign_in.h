// SignIn: the sessions of the console over HTTP, at /api/v1/session:
//
//   POST     begins one, by a key or by the certificate of the client
//   GET      who asks, and what that may
//   DELETE   ends the one that the request brings
//
// A POST has {"keyName": ..., "key": ...}, with "entityPath" if the rule is not the namespace's; or
// {"connectionString": ...}; or nothing, of a client with a certificate. Over TLS the id of a
// session travels in a cookie that no script can read, and else in the answer. Owned by the
// ConsoleService; any thread.
#pragma once

#include <memory>
#include <string>

#include "broker/doors/http/console/credentials.h"
#include "broker/doors/http/console/sessions.h"
#include "broker/doors/http/console/sign_in_pace.h"
#include "broker/doors/http/console/visit.h"
#include "broker/doors/http/http_service.h"

namespace wharf::console {

class SignIn {
 public:
  static constexpr std::string_view kPath = "/api/v1/session";

  // They outlive it.
  SignIn(Sessions& sessions, SignInPace& pace) : sessions_(sessions), pace_(pace) {}

  // Of a request whose page was looked at.
  HttpService::Begun Begin(HttpRequest head, const Credentials& credentials,
                           std::shared_ptr<Visit> visit);

 private:
  HttpService::Begun Tell(const Credentials& credentials, const std::shared_ptr<Visit>& visit);
  HttpService::Begun End(const HttpRequest& head, const Credentials& credentials,
                         const Visit& visit);
  // When its body is there.
  HttpResponse Answer(const HttpRequest& head, const std::string& body, const Visit& visit);

  Sessions& sessions_;
  SignInPace& pace_;
};

}  // namespace wharf::console
