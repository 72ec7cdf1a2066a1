// Login: what SASL may say to us, and what a client has said by it (LNK-11). Pure functions; used
// by ServedConnection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {

struct Login {
  enum class Kind : std::uint8_t {
    kNobody,       // Says who it is by claims, later.
    kKey,          // Names a rule, and a key of it.
    kCertificate,  // Is who its certificate says.
  };
  Kind kind = Kind::kNobody;
  std::string rule{};
  std::string key{};
};

// In the order in which clients are to prefer them.
std::vector<Symbol> MechanismsFor(bool has_certificate);

// Nothing if what it says is not what its mechanism has.
std::optional<Login> ReadLogin(const SaslInit& init);

}  // namespace wharf::amqp
