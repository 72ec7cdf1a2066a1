#include "broker/daemon/listeners.h"

#include <utility>

#include "broker/daemon/descriptors.h"

namespace wharf {

Result<Listeners> Listeners::Bind(const std::vector<std::string>& texts) {
  const Result<std::vector<ListenAddress>> addresses = ParseListenAddresses(texts);
  if (!addresses.ok()) return addresses.status();
  const Result<std::uint64_t> descriptors = RaiseDescriptors();
  if (!descriptors.ok()) return descriptors.status();
  Listeners listeners;
  for (const ListenAddress& address : *addresses) {
    Result<std::unique_ptr<Listener>> listener =
        Listener::Bind({address.endpoint, address.path, address.mode}, *descriptors);
    if (!listener.ok()) return listener.status();
    const int port = (*listener)->port();
    listeners.all_.push_back({address, port, *std::move(listener)});
  }
  return listeners;
}

std::string Listeners::ToText() const {
  std::string text;
  for (const One& one : all_) {
    if (!text.empty()) text += ' ';
    text += wharf::ToText(one.address, one.port);
  }
  return text;
}

std::vector<std::unique_ptr<Listener>> Listeners::Take(ListenerKind kind) {
  std::vector<std::unique_ptr<Listener>> taken;
  for (One& one : all_) {
    if (one.address.kind == kind && one.listener) taken.push_back(std::move(one.listener));
  }
  return taken;
}

}  // namespace wharf
