#include "broker/daemon/listening/clients.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/escaping.h"
#include "broker/config/keys.h"

namespace wharf {
namespace {

using access::ClientRules;
using access::TokenAlgorithm;
using access::TokenIssuer;
using access::TokenKeyPlace;

constexpr std::size_t kKeyBytesMax = 64 * 1024;

Status Wrong(const std::string& file, const std::string& why) {
  return {ErrorCode::kArgumentError, fmt::format("{}: {}", absl::CHexEscape(file), why)};
}

class KeyFile {
 public:
  explicit KeyFile(const std::string& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~KeyFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;

  Result<std::string> Read(bool is_secret) const {
    struct stat about {};
    if (descriptor_ < 0 || fstat(descriptor_, &about) != 0) {
      return Wrong(path_, std::strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) return Wrong(path_, "it is not a file");
    if (is_secret && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
      return Wrong(path_, "others may read this secret; its mode must be 0600");
    }
    std::string text(kKeyBytesMax + 1, '\0');
    const ssize_t size = read(descriptor_, text.data(), text.size());
    if (size < 0) return Wrong(path_, std::strerror(errno));
    if (static_cast<std::size_t>(size) > kKeyBytesMax)
      return Wrong(path_, "it is larger than 64 KiB");
    text.resize(static_cast<std::size_t>(size));
    return text;
  }

 private:
  const std::string& path_;
  const int descriptor_;
};

// The end of the line is not of a secret: an editor puts it there.
std::string WithoutLineEnd(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Result<TokenIssuer::Key> ReadKey(const std::string& text) {
  Result<TokenKeyPlace> place = TokenKeyPlace::Parse(text);
  if (!place.ok()) return place.status();
  const bool is_secret = place->algorithm == TokenAlgorithm::kHs256;
  Result<std::string> content = KeyFile(place->file).Read(is_secret);
  if (!content.ok()) return content.status();
  return TokenIssuer::Key{
      .id = place->id,
      .algorithm = place->algorithm,
      .content = is_secret ? WithoutLineEnd(*std::move(content)) : *std::move(content)};
}

Result<access::TokenIssuerPtr> ReadIssuer(const config::Settings& settings) {
  std::vector<TokenIssuer::Key> keys;
  for (const std::string& text : settings.jwt_keys) {
    Result<TokenIssuer::Key> key = ReadKey(text);
    if (!key.ok()) return key.status();
    keys.push_back(*std::move(key));
  }
  return TokenIssuer::Make({.issuer = settings.jwt_issuer,
                            .audience = settings.jwt_audience,
                            .claim = settings.jwt_claim},
                           keys);
}

}  // namespace

Result<std::shared_ptr<const ClientRules>> LoadClients(const config::Settings& settings) {
  Result<ClientRules> rules = ClientRules::Parse(settings.client_rules);
  if (!rules.ok()) return rules.status();
  if (!settings.jwt_keys.empty()) {
    Result<access::TokenIssuerPtr> issuer = ReadIssuer(settings);
    if (!issuer.ok()) {
      return Status(ErrorCode::kArgumentError, "jwt-keys: " + issuer.status().message());
    }
    rules->set_issuer(*std::move(issuer));
  }
  return std::make_shared<const ClientRules>(*std::move(rules));
}

void WarnOfVainClients(const config::Configuration& configuration) {
  const config::Settings& settings = configuration.settings;
  const auto warn = [&configuration](const char* key, const std::vector<std::string>& said) {
    if (said.empty()) return;
    spdlog::warn("{}: {} is asked of nobody, for access is off",
                 configuration.OriginOf(*config::FindKey(key)), key);
  };
  warn("client-rules", settings.client_rules);
  warn("jwt-keys", settings.jwt_keys);
}

}  // namespace wharf
