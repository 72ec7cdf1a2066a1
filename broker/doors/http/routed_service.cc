#include "broker/doors/http/routed_service.h"

namespace wharf {
namespace {

// A browser shall neither keep what it is told nor guess what it is.
HttpResponse ForBrowsers(HttpResponse response) {
  response.fields.emplace_back("Cache-Control", "no-store");
  response.fields.emplace_back("X-Content-Type-Options", "nosniff");
  if (response.status == 405) response.fields.emplace_back("Allow", "GET, HEAD");
  if (response.status == 401) {
    response.fields.emplace_back("WWW-Authenticate", R"(Basic realm="wharf", charset="UTF-8")");
  }
  return response;
}

}  // namespace

// No browser speaks so old a version that it has no host.
HttpService::Begun RoutedService::Begin(HttpRequest head) {
  const Status ours =
      hosts_.Check(head.host.empty() ? "localhost" : head.host, head.origin, head.scheme);
  if (!ours.ok()) return {.refused = Refusal(403, ours.message())};
  return {.go_on = [this, head = std::move(head)](const std::string& /*body*/,
                                                  const HttpReplyPtr& reply) {
    reply->Answer(ForBrowsers(router_.Answer(head)));
  }};
}

HttpResponse RoutedService::Refusal(unsigned status, std::string_view why) {
  return ForBrowsers(TextResponse(status, why));
}

}  // namespace wharf
