#include "broker/doors/http/console/credentials.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include "broker/doors/http/router.h"

namespace wharf::console {
namespace {

constexpr absl::string_view kSessionScheme = "Session ";
constexpr absl::string_view kSessionProtocol = "wharf.session.";
constexpr std::string_view kRequestField = "X-Wharf-Request";
constexpr absl::string_view kCookieRules = "; Path=/; Secure; HttpOnly; SameSite=Strict";

absl::string_view AbslView(std::string_view text) { return {text.data(), text.size()}; }

std::string SessionInCookies(const HttpRequest& head) {
  for (const auto& [name, cookies] : head.fields) {
    if (!absl::EqualsIgnoreCase(name, "Cookie")) continue;
    for (absl::string_view cookie : absl::StrSplit(cookies, ';')) {
      cookie = absl::StripAsciiWhitespace(cookie);
      if (!absl::ConsumePrefix(&cookie, AbslView(kSessionCookie))) continue;
      if (absl::ConsumePrefix(&cookie, "=") && !cookie.empty()) return std::string(cookie);
    }
  }
  return {};
}

Status Refused(std::string why) { return {ErrorCode::kForbidden, std::move(why)}; }

}  // namespace

Credentials CredentialsOf(const HttpRequest& head) {
  using Kind = Credentials::Kind;
  if (absl::StartsWithIgnoreCase(head.authorization, kSessionScheme)) {
    const absl::string_view id =
        absl::StripAsciiWhitespace(head.authorization).substr(kSessionScheme.size() - 1);
    return {Kind::kSession, std::string(absl::StripAsciiWhitespace(id)), true};
  }
  if (!head.authorization.empty()) return {Kind::kToken, head.authorization, true};
  if (head.scheme == "https") {
    if (std::string id = SessionInCookies(head); !id.empty()) {
      return {Kind::kSession, std::move(id), false};
    }
  }
  if (!head.subject.empty()) return {Kind::kCertificate, head.subject, false};
  return {};
}

Credentials CredentialsOf(const HttpRequest& head, const std::vector<std::string>& protocols) {
  if (!head.authorization.empty()) return CredentialsOf(head);
  for (absl::string_view protocol : protocols) {
    if (absl::ConsumePrefix(&protocol, kSessionProtocol)) {
      return {Credentials::Kind::kSession, std::string(protocol), true};
    }
  }
  return CredentialsOf(head);
}

// No browser speaks so old a version that it has no host.
Status CheckPage(const HttpRequest& head, const Credentials& credentials, bool is_open,
                 const HostCheck& hosts) {
  const std::string host = head.host.empty() ? "localhost" : head.host;
  const std::string own = absl::StrCat(AbslView(head.scheme), "://", host);
  if (!head.origin.empty() && !absl::EqualsIgnoreCase(own, head.origin)) {
    return Refused("this is not for pages of another origin");
  }
  if (is_open || !credentials.is_explicit) {
    const Status ours = hosts.Check(host, head.origin, head.scheme);
    if (!ours.ok()) return Refused(ours.message());
  }
  if (Router::IsLook(head.method) || FindField(head.fields, kRequestField) != nullptr) return {};
  return Refused("a request that may change something has a field X-Wharf-Request");
}

std::string CookieOf(std::string_view session) {
  return absl::StrCat(AbslView(kSessionCookie), "=", AbslView(session), kCookieRules);
}

std::string CookieThatEnds() {
  return absl::StrCat(AbslView(kSessionCookie), "=; Max-Age=0", kCookieRules);
}

}  // namespace wharf::console
