// RoutedService: an HttpService of paths that are looked at: a Router, for the hosts that are ours.
// Made by the HttpServer for operators and their tools.
#pragma once

#include <utility>

#include "broker/doors/http/host_check.h"
#include "broker/doors/http/http_service.h"
#include "broker/doors/http/router.h"

namespace wharf {

class RoutedService final : public HttpService {
 public:
  RoutedService(Router router, HostCheck hosts)
      : router_(std::move(router)), hosts_(std::move(hosts)) {}

  Begun Begin(HttpRequest head) override;
  HttpResponse Refusal(unsigned status, std::string_view why) override;

 private:
  const Router router_;
  const HostCheck hosts_;
};

}  // namespace wharf
