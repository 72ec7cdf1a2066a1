// Listeners: all places where wharfd listens. Made by main.cc, which has every one of them before
// it looks at the folder; each goes to the door that its kind says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "broker/config/listen_address.h"
#include "broker/doors/common/listener.h"
#include "storage/base/status.h"

namespace wharf {

class Listeners {
 public:
  // `texts` as `listen` has them; all or none.
  static Result<Listeners> Bind(const std::vector<std::string>& texts);

  // As the ready line names them: "127.0.0.1:5680 unix:/run/wharf/wharf.sock".
  std::string ToText() const;
  // Those of a kind, each once.
  std::vector<std::unique_ptr<Listener>> Take(ListenerKind kind);

 private:
  struct One {
    ListenAddress address;
    int port;
    std::unique_ptr<Listener> listener;
  };
  std::vector<One> all_;
};

}  // namespace wharf
