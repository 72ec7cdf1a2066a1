#include "broker/access/client_rules.h"

#include <optional>
#include <utility>

#include "broker/access/access_rule.h"
#include "broker/access/ascii_text.h"
#include "broker/access/resource.h"

namespace wharf::access {
namespace {

constexpr std::string_view kCertificate = "certificate:";
constexpr std::string_view kClaim = "claim:";
constexpr std::string_view kArrow = "->";
constexpr std::size_t kNameBytesMax = 1024;
constexpr std::size_t kClientsMax = 10'000;

struct ClientRule {
  std::string name;
  ClientRules::Target target;
};

Status NoRule(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

Status CheckName(std::string_view name) {
  if (name.size() > kNameBytesMax) return NoRule("a client is called by at most 1024 bytes");
  if (name.starts_with(kCertificate)) {
    // CN=shop,O=x
    if (name.find('=', kCertificate.size() + 1) != std::string_view::npos) return {};
    return NoRule("behind certificate: stands its subject, as CN=shop,O=x");
  }
  if (name.starts_with(kClaim) && name.size() > kClaim.size()) return {};
  return NoRule("a client begins with certificate: and a subject, or claim: and a value");
}

Result<ClientRules::Target> ReadTarget(std::string_view text) {
  ClientRules::Target target;
  const std::size_t hash = text.rfind('#');
  if (hash != std::string_view::npos) {
    const std::string_view path = text.substr(0, hash);
    target.path = ResourceOfUri(path);
    if (target.path.size() != path.size()) return NoRule("an entity is written as its path");
    text.remove_prefix(hash + 1);
  }
  WHARF_RETURN_IF_ERROR(CheckAccessRuleName(text));
  target.rule = FoldRuleName(text);
  return target;
}

Result<ClientRule> Read(std::string_view text) {
  // Neither the name of a rule nor a path has one.
  const std::size_t arrow = text.rfind(kArrow);
  if (arrow == std::string_view::npos) return NoRule("between a client and its rule stands ->");
  const std::string_view name = Stripped(text.substr(0, arrow));
  WHARF_RETURN_IF_ERROR(CheckName(name));
  Result<ClientRules::Target> target = ReadTarget(Stripped(text.substr(arrow + kArrow.size())));
  if (!target.ok()) return target.status();
  return ClientRule{std::string(name), *std::move(target)};
}

}  // namespace

Status ClientRules::Check(std::string_view text) { return Read(text).status(); }

Result<ClientRules> ClientRules::Parse(const std::vector<std::string>& texts) {
  if (texts.size() > kClientsMax) return NoRule("there are at most 10000");
  ClientRules rules;
  for (const std::string& text : texts) {
    Result<ClientRule> read = Read(text);
    if (!read.ok()) return read.status();
    const bool is_new =
        rules.targets_.emplace(std::move(read->name), std::move(read->target)).second;
    if (!is_new) return NoRule("one client has two rules");
  }
  return rules;
}

const ClientRules::Target* ClientRules::Find(std::string_view name) const {
  const auto found = targets_.find(absl::string_view(name.data(), name.size()));
  return found == targets_.end() ? nullptr : &found->second;
}

std::string NameOfCertificate(std::string_view subject) {
  return std::string(kCertificate) + std::string(subject);
}

std::string NameOfClaim(std::string_view value) { return std::string(kClaim) + std::string(value); }

}  // namespace wharf::access
