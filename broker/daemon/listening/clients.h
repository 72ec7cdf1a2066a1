// Clients: whom others vouch for: the rules of clients, and the keys of the issuer of JSON web
// tokens, as the configuration says and the files hold that it names.
//
// Read at the start, and again at a reload. Used by main.cc and the Daemon.
#pragma once

#include <memory>

#include "broker/access/client_rules.h"
#include "broker/config/configuration.h"
#include "broker/config/settings.h"
#include "storage/base/status.h"

namespace wharf {

// A secret must be in a file that nobody else may read. Or what is wrong, in a sentence with its
// file.
Result<std::shared_ptr<const access::ClientRules>> LoadClients(const config::Settings& settings);

// Where access is off nobody looks at them; who says them takes them for obeyed.
void WarnOfVainClients(const config::Configuration& configuration);

}  // namespace wharf
