#include "broker/doors/http/operations.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace wharf {
namespace {

bool WantsJson(const HttpRequest& request) {
  return request.accept.find("application/json") != std::string::npos;
}

HttpResponse Report(const HttpRequest& request, const std::vector<Health::Finding>& findings,
                    bool is_insecure = false) {
  HttpResponse response{.status = findings.empty() ? 200U : 503U};
  if (WantsJson(request)) {
    nlohmann::json causes = nlohmann::json::array();
    for (const auto& [ailment, why] : findings) {
      causes.push_back({{"name", NameOf(ailment)}, {"message", why}});
    }
    response.type = "application/json";
    nlohmann::json report({{"ok", findings.empty()}, {"causes", causes}});
    if (is_insecure) report["insecure"] = true;
    response.body = report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    return response;
  }
  for (const auto& [ailment, why] : findings) {
    response.body += fmt::format("{}: {}\n", NameOf(ailment), why);
  }
  if (findings.empty()) response.body = "ok\n";
  if (is_insecure) response.body += "insecure: listeners may do without TLS and without access\n";
  return response;
}

}  // namespace

// A disk that is slow or full is the same after a restart; a turn that hangs is not.
void AddHealth(Router& router, const Health& health) {
  router.Add("/livez", [&health](const HttpRequest& request) {
    std::vector<Health::Finding> findings = health.findings();
    std::erase_if(findings,
                  [](const auto& finding) { return finding.ailment != Ailment::kHungTurn; });
    return Report(request, findings);
  });
  router.Add("/readyz", [&health](const HttpRequest& request) {
    return Report(request, health.findings(), health.is_insecure());
  });
}

}  // namespace wharf
