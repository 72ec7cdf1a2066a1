// Listeners: all places where wharfd listens. Made by main.cc, which has every one of them before
// it looks at the folder; each goes to the door that its kind says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "broker/config/listen_address.h"
#include "broker/config/settings.h"
#include "broker/doors/common/doorway.h"
#include "storage/base/status.h"

namespace wharf {

class Listeners {
 public:
  // All that `listen` says, or none.
  static Result<Listeners> Bind(const config::Settings& settings);
  // Whether those with TLS, if there are any, could prove who they are.
  static Status CheckCertificates(const config::Settings& settings);

  // As the ready line names them: "127.0.0.1:5680 unix:/run/wharf/wharf.sock".
  std::string ToText() const;
  // For connection strings, "sb://host:port/": what `advertise` says, else the first where gRPC is
  // spoken over TCP. An error if nobody can be told that one: it is any address of this machine.
  Result<std::string> Endpoint() const;
  // Those of a kind, each once.
  std::vector<Doorway> Take(ListenerKind kind);
  // What those with TLS prove themselves with; null: there are none.
  const std::shared_ptr<Certificates>& certificates() const { return certificates_; }

  // Connections have descriptors below this one.
  std::uint64_t descriptors_max() const { return descriptors_max_; }

 private:
  struct One {
    ListenAddress address;
    int port;
    std::unique_ptr<Listener> listener;
  };

  // Where gRPC is spoken over TCP; null: nowhere.
  const One* FirstForClients() const;

  std::uint64_t descriptors_max_ = 0;
  std::string advertised_;
  std::shared_ptr<Certificates> certificates_;
  std::vector<One> all_;
};

}  // namespace wharf
