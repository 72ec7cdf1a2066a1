#include "broker/doors/http/operations.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace wharf {
namespace {

// Why not.
struct Cause {
  std::string name;
  std::string why;
};

bool WantsJson(const HttpRequest& request) {
  return request.accept.find("application/json") != std::string::npos;
}

// Of a node of a cluster, besides.
struct About {
  bool is_insecure = false;
  std::optional<Health::Part> part{};
};

HttpResponse ReportJson(const std::vector<Cause>& causes, const About& about) {
  nlohmann::json list = nlohmann::json::array();
  for (const Cause& cause : causes) list.push_back({{"name", cause.name}, {"message", cause.why}});
  nlohmann::json report({{"ok", causes.empty()}, {"causes", list}});
  if (about.is_insecure) report["insecure"] = true;
  if (about.part) {
    report["cluster"] = {{"leads", about.part->leads}, {"message", about.part->how}};
  }
  return {.status = causes.empty() ? 200U : 503U,
          .type = "application/json",
          .body = report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'};
}

HttpResponse Report(const HttpRequest& request, const std::vector<Cause>& causes,
                    const About& about = {}) {
  if (WantsJson(request)) return ReportJson(causes, about);
  HttpResponse response{.status = causes.empty() ? 200U : 503U};
  for (const auto& [name, why] : causes) response.body += fmt::format("{}: {}\n", name, why);
  if (causes.empty()) response.body = "ok\n";
  if (about.part) response.body += fmt::format("cluster: {}\n", about.part->how);
  if (about.is_insecure) {
    response.body += "insecure: listeners may do without TLS and without access\n";
  }
  return response;
}

bool IsAny(Ailment /*ailment*/) { return true; }

std::vector<Cause> CausesOf(const Health& health, bool (*counts)(Ailment) = IsAny) {
  std::vector<Cause> causes;
  for (const auto& [ailment, why] : health.findings()) {
    if (counts(ailment)) causes.push_back({std::string(NameOf(ailment)), why});
  }
  return causes;
}

}  // namespace

void AddHealth(Router& router, const Health& health) {
  router.Add("/livez", [&health](const HttpRequest& request) {
    return Report(request, CausesOf(health, IsHealedByRestart));
  });
  router.Add("/readyz", [&health](const HttpRequest& request) {
    return Report(request, CausesOf(health), {health.is_insecure(), health.part()});
  });
  router.Add("/readyz/leader", [&health](const HttpRequest& request) {
    const std::optional<Health::Part> part = health.part();
    std::vector<Cause> causes = CausesOf(health);
    if (part && !part->leads) causes.push_back({"not-leading", part->how});
    return Report(request, causes, {health.is_insecure(), part});
  });
}

}  // namespace wharf
