#include "broker/doors/http/rest/property_name.h"

#include <algorithm>
#include <array>
#include <string>

#include <absl/strings/ascii.h>

namespace wharf::rest {
namespace {

// All in lower case.

// Clients, proxies and browsers write these into requests by themselves; credentials among them,
// which must get into no message.
constexpr std::array<std::string_view, 44> kOfRequests = {"accept",
                                                          "accept-charset",
                                                          "accept-encoding",
                                                          "accept-language",
                                                          "alt-used",
                                                          "authorization",
                                                          "brokerproperties",
                                                          "cache-control",
                                                          "cdn-loop",
                                                          "connection",
                                                          "content-length",
                                                          "content-type",
                                                          "cookie",
                                                          "cookie2",
                                                          "date",
                                                          "dnt",
                                                          "early-data",
                                                          "expect",
                                                          "forwarded",
                                                          "host",
                                                          "http2-settings",
                                                          "keep-alive",
                                                          "origin",
                                                          "pragma",
                                                          "proxy-authorization",
                                                          "proxy-connection",
                                                          "referer",
                                                          "servicebusauthorization",
                                                          "servicebusdlqsupplementaryauthorization",
                                                          "servicebussupplementaryauthorization",
                                                          "surrogate-capability",
                                                          "te",
                                                          "trailer",
                                                          "transfer-encoding",
                                                          "upgrade",
                                                          "upgrade-insecure-requests",
                                                          "user-agent",
                                                          "via",
                                                          "x-ms-client-request-id",
                                                          "x-ms-date",
                                                          "x-ms-retrypolicy",
                                                          "x-ms-return-client-request-id",
                                                          "x-ms-version",
                                                          "x-real-ip"};
constexpr std::array<std::string_view, 5> kOfRequestsPrefixes = {
    "access-control-request-", "sec-ch-", "sec-fetch-", "sec-websocket-", "x-forwarded-"};

// They tell of the body, or under which condition it is to be taken: of the request, but whoever
// wrote them wanted something that does not happen.
constexpr std::array<std::string_view, 15> kOmittedHeaders = {
    "content-digest",     "content-disposition",
    "content-dpr",        "content-encoding",
    "content-id",         "content-language",
    "content-location",   "content-md5",
    "content-range",      "content-transfer-encoding",
    "if-match",           "if-modified-since",
    "if-none-match",      "if-range",
    "if-unmodified-since"};
// Of browsers, of Azure's clients, of proxies among themselves, and ours: whatever there may be of
// them one day.
constexpr std::array<std::string_view, 4> kOmittedPrefixes = {"proxy-", "sec-", "x-ms-",
                                                              "x-wharf-"};

// Beside all those above, nothing of this goes out.
constexpr std::array<std::string_view, 42> kOfAnswers = {"accept-ch",
                                                         "accept-patch",
                                                         "accept-ranges",
                                                         "age",
                                                         "allow",
                                                         "alt-svc",
                                                         "clear-site-data",
                                                         "close",
                                                         "document-policy",
                                                         "etag",
                                                         "expect-ct",
                                                         "expires",
                                                         "feature-policy",
                                                         "from",
                                                         "last-modified",
                                                         "link",
                                                         "location",
                                                         "max-forwards",
                                                         "nel",
                                                         "origin-agent-cluster",
                                                         "permissions-policy",
                                                         "public-key-pins",
                                                         "range",
                                                         "referrer-policy",
                                                         "refresh",
                                                         "report-to",
                                                         "reporting-endpoints",
                                                         "retry-after",
                                                         "server",
                                                         "server-timing",
                                                         "service-worker-allowed",
                                                         "set-cookie",
                                                         "set-cookie2",
                                                         "sourcemap",
                                                         "speculation-rules",
                                                         "status",
                                                         "strict-transport-security",
                                                         "timing-allow-origin",
                                                         "tk",
                                                         "vary",
                                                         "warning",
                                                         "www-authenticate"};
constexpr std::array<std::string_view, 12> kOfAnswersPrefixes = {
    "content-", "x-sendfile",      "access-control-", "cross-origin-", "cdn-",        "surrogate-",
    "x-accel-", "x-content-type-", "x-frame-",        "x-litespeed-",  "x-lighttpd-", "x-reproxy-"};

bool IsTokenCharacter(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         kOthers.find(c) != std::string_view::npos;
}

bool IsToken(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenCharacter);
}

template <typename Names>
bool IsAmong(const Names& names, std::string_view lower) {
  return std::find(names.begin(), names.end(), lower) != names.end();
}

template <typename Prefixes>
bool BeginsWithOne(const Prefixes& prefixes, std::string_view lower) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [lower](std::string_view prefix) { return lower.starts_with(prefix); });
}

bool IsOfRequests(std::string_view lower) {
  return IsAmong(kOfRequests, lower) || BeginsWithOne(kOfRequestsPrefixes, lower);
}

bool StaysOut(std::string_view lower) {
  return IsAmong(kOmittedHeaders, lower) || BeginsWithOne(kOmittedPrefixes, lower);
}

bool IsQuoted(std::string_view value) {
  return value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
}

}  // namespace

HeaderKind KindOfHeader(std::string_view name, std::string_view value) {
  const std::string lower = absl::AsciiStrToLower({name.data(), name.size()});
  if (IsOfRequests(lower)) return IsQuoted(value) ? HeaderKind::kOmitted : HeaderKind::kOfRequest;
  return StaysOut(lower) || !IsToken(name) ? HeaderKind::kOmitted : HeaderKind::kProperty;
}

bool MayGoOut(std::string_view name) {
  const std::string lower = absl::AsciiStrToLower({name.data(), name.size()});
  return IsToken(name) && !IsOfRequests(lower) && !StaysOut(lower) && !IsAmong(kOfAnswers, lower) &&
         !BeginsWithOne(kOfAnswersPrefixes, lower);
}

}  // namespace wharf::rest
