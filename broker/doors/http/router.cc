#include "broker/doors/http/router.h"

#include <utility>

namespace wharf {

void Router::Add(std::string path, HttpHandler handler) {
  handlers_.emplace(std::move(path), std::move(handler));
}

HttpResponse Router::Answer(const HttpRequest& request) const {
  const auto found = handlers_.find(request.path);
  if (found == handlers_.end())
    return TextResponse(404, "there is nothing here; there is " + Paths());
  if (!IsLook(request.method)) return TextResponse(405, "here is only GET and HEAD");
  return found->second(request);
}

std::string Router::Paths() const {
  std::string paths;
  for (const auto& [path, handler] : handlers_) paths += (paths.empty() ? "" : ", ") + path;
  return paths;
}

HttpResponse TextResponse(unsigned status, std::string_view text) {
  return {.status = status, .body = std::string(text) + '\n'};
}

}  // namespace wharf
