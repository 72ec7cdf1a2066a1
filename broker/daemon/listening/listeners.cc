#include "broker/daemon/listening/listeners.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/daemon/process/descriptors.h"

namespace wharf {
namespace {

bool HasTls(const ListenAddress& address) { return address.has_tls; }

// An address of IPv6 has colons of its own, between brackets.
bool HasPort(const std::string& authority) {
  return authority.find(':', authority.find(']') == std::string::npos ? 0 : authority.find(']')) !=
         std::string::npos;
}

Certificates::Files FilesOf(const config::Settings& settings) {
  return {.certificate = settings.tls_cert,
          .key = settings.tls_key,
          .client_authority = settings.tls_client_ca,
          .wanted = settings.tls_client_cert == "optional" ? ClientCertificate::kOptional
                                                           : ClientCertificate::kRequired};
}

}  // namespace

Result<Listeners> Listeners::Bind(const config::Settings& settings) {
  const Result<std::vector<ListenAddress>> addresses = ParseListenAddresses(settings.listen);
  if (!addresses.ok()) return addresses.status();
  const Result<std::uint64_t> descriptors = RaiseDescriptors();
  if (!descriptors.ok()) return descriptors.status();
  Listeners listeners;
  listeners.descriptors_max_ = *descriptors;
  listeners.advertised_ = settings.advertise;
  if (std::any_of(addresses->begin(), addresses->end(), HasTls)) {
    Result<std::shared_ptr<Certificates>> certificates = Certificates::Load(FilesOf(settings));
    if (!certificates.ok()) return certificates.status();
    listeners.certificates_ = *std::move(certificates);
  }
  for (const ListenAddress& address : *addresses) {
    Result<std::unique_ptr<Listener>> listener =
        Listener::Bind({address.endpoint, address.path, address.mode}, *descriptors);
    if (!listener.ok()) return listener.status();
    const int port = (*listener)->port();
    listeners.all_.push_back({address, port, *std::move(listener)});
  }
  return listeners;
}

Status Listeners::CheckCertificates(const config::Settings& settings) {
  const Result<std::vector<ListenAddress>> addresses = ParseListenAddresses(settings.listen);
  if (!addresses.ok()) return addresses.status();
  if (std::none_of(addresses->begin(), addresses->end(), HasTls)) return {};
  return Certificates::Check(FilesOf(settings));
}

std::string Listeners::ToText() const {
  std::string text;
  for (const One& one : all_) {
    if (!text.empty()) text += ' ';
    text += wharf::ToText(one.address, one.port);
  }
  return text;
}

const Listeners::One* Listeners::FirstForClients() const {
  const auto is_meant = [](const One& one) {
    return one.address.kind == ListenerKind::kGrpc && !one.address.is_unix();
  };
  const auto first = std::find_if(all_.begin(), all_.end(), is_meant);
  return first == all_.end() ? nullptr : &*first;
}

// Of Unix sockets clients find the path elsewhere.
Result<std::string> Listeners::Endpoint() const {
  const One* const first = FirstForClients();
  if (!advertised_.empty()) {
    const bool has_port = first == nullptr || HasPort(advertised_);
    return has_port ? fmt::format("sb://{}/", advertised_)
                    : fmt::format("sb://{}:{}/", advertised_, first->port);
  }
  if (first == nullptr) return std::string("sb://localhost/");
  if (first->address.endpoint.address().is_unspecified()) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("advertise must say by which host clients find the broker: {} is any "
                              "address of this machine",
                              first->address.host));
  }
  return fmt::format("sb://{}:{}/", first->address.host, first->port);
}

std::vector<Doorway> Listeners::Take(ListenerKind kind) {
  std::vector<Doorway> taken;
  for (One& one : all_) {
    if (one.address.kind != kind || one.listener == nullptr) continue;
    const bool has_tls = one.address.has_tls;
    taken.push_back({.listener = std::move(one.listener),
                     .certificates = has_tls ? certificates_ : nullptr,
                     .knows_its_clients = one.address.is_private()});
  }
  return taken;
}

}  // namespace wharf
