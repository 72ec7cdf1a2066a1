#include "broker/daemon/process/settings_check.h"

#include <string>
#include <string_view>

#include <fmt/core.h>

#include "broker/config/keys.h"
#include "broker/daemon/cluster/node_settings.h"
#include "broker/daemon/folder/archiving.h"
#include "broker/daemon/listening/clients.h"
#include "broker/daemon/listening/listeners.h"
#include "broker/doors/http/http_post.h"
#include "replication/identity/node_identity.h"

namespace wharf {
namespace {

// "/etc/wharf/wharfd.toml:3: ...", by where the key was said.
void Complain(config::Reading& reading, std::string_view key, const Status& wrong) {
  if (wrong.ok()) return;
  const std::string& origin = reading.configuration.OriginOf(*config::FindKey(key));
  reading.complaints.Add(fmt::format("{}: {}", origin.empty() ? key : origin, wrong.message()));
}

}  // namespace

void ComplainOfNode(config::Reading& reading) {
  const config::Settings& settings = reading.configuration.settings;
  if (settings.has_node()) Complain(reading, "node", CheckNodeName(settings.node));
}

void ComplainOfFiles(config::Reading& reading) {
  if (!reading.complaints.empty()) return;
  const config::Settings& settings = reading.configuration.settings;
  Complain(reading, "tls-cert", Listeners::CheckCertificates(settings));
  Complain(reading, "jwt-keys", LoadClients(settings).status());
  Complain(reading, "backup-encrypt-to", BackupRecipientOf(settings).status());
  if (settings.has_node()) Complain(reading, "peer-cert", CheckPeerCertificates(settings));
  const bool asks_authority = !settings.trace_otlp_ca.empty();
  if (asks_authority) Complain(reading, "trace-otlp-ca", TrustIn(settings.trace_otlp_ca).status());
}

}  // namespace wharf
