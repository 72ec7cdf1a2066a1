#include "broker/doors/amqp/connection/login.h"

#include <string_view>

namespace wharf::amqp {
namespace {

constexpr std::string_view kClaimsLater = "MSSBCBS";
constexpr std::string_view kPlainMechanism = "PLAIN";
constexpr std::string_view kAnonymous = "ANONYMOUS";
constexpr std::string_view kExternal = "EXTERNAL";
// Whatever a rule and its key are called, they are shorter.
constexpr std::size_t kPlainBytesMax = 1024;

// [authzid] NUL authcid NUL passwd (RFC 4616). Nobody acts for somebody else here.
std::optional<Login> ReadPlain(std::string_view said) {
  if (said.size() > kPlainBytesMax) return std::nullopt;
  const std::size_t first = said.find('\0');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = said.find('\0', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view as = said.substr(0, first);
  const std::string_view rule = said.substr(first + 1, second - first - 1);
  const std::string_view key = said.substr(second + 1);
  const bool is_well = (as.empty() || as == rule) && !rule.empty() && !key.empty() &&
                       key.find('\0') == std::string_view::npos;
  if (!is_well) return std::nullopt;
  return Login{.kind = Login::Kind::kKey, .rule = std::string(rule), .key = std::string(key)};
}

}  // namespace

std::vector<Symbol> MechanismsFor(bool has_certificate) {
  std::vector<Symbol> mechanisms;
  for (const std::string_view name : {kClaimsLater, kPlainMechanism, kAnonymous}) {
    mechanisms.push_back({std::string(name)});
  }
  if (has_certificate) mechanisms.push_back({std::string(kExternal)});
  return mechanisms;
}

std::optional<Login> ReadLogin(const SaslInit& init) {
  const std::string_view said =
      init.initial_response.has_value() ? init.initial_response->bytes : std::string_view();
  if (init.mechanism.text == kPlainMechanism) return ReadPlain(said);
  if (init.mechanism.text != kExternal) return Login();
  if (!said.empty()) return std::nullopt;
  return Login{.kind = Login::Kind::kCertificate};
}

}  // namespace wharf::amqp
