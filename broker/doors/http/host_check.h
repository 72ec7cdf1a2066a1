// HostCheck: whether a request was meant for this broker, so that no web page in a browser of this
// machine can use it.
//
// A page of another origin names that (Origin), and one whose name suddenly means this machine (DNS
// rebinding) names itself (Host). Constant; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"

namespace wharf {

class HostCheck {
 public:
  // Beside localhost and the addresses of loopback, these names are the broker's.
  explicit HostCheck(std::vector<std::string> names);

  // As they stand in the request. An `origin` that is empty was not sent. Else why it is refused.
  Status Check(std::string_view host, std::string_view origin, std::string_view scheme) const;

 private:
  bool IsOurs(std::string_view name) const;

  std::vector<std::string> names_;
};

}  // namespace wharf
