// Router: which handler answers for which path. Filled before it is used, then constant; any
// thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "broker/doors/http/exchange.h"

namespace wharf {

class Router {
 public:
  // Answers GET and HEAD of exactly this path.
  void Add(std::string path, HttpHandler handler);

  // 405 for what is no look, 404 for a path that there is not.
  HttpResponse Answer(const HttpRequest& request) const;

  static bool IsLook(std::string_view method) { return method == "GET" || method == "HEAD"; }

 private:
  std::string Paths() const;

  std::map<std::string, HttpHandler, std::less<>> handlers_;
};

// A line of text, with the end of a line behind it.
HttpResponse TextResponse(unsigned status, std::string_view text);

}  // namespace wharf
