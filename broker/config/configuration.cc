#include "broker/config/configuration.h"

#include <algorithm>
#include <optional>

#include <absl/strings/escaping.h>
#include <fmt/format.h>

#include "broker/config/config_file.h"
#include "broker/config/listen_address.h"

namespace wharf::config {
namespace {

std::vector<Entry> EntriesOfPath(const std::string& path, Complaints& complaints) {
  const Result<std::string> text = ReadFile(path);
  if (text.ok()) return EntriesOfFile(*text, path, complaints);
  complaints.Add(text.status().message());
  return {};
}

// Of an array that goes over several lines the line of what is wrong.
std::string SubjectOf(const Entry& entry) {
  const std::optional<std::size_t> bad = BadTextOf(*entry.key, entry.value);
  return bad && *bad < entry.subjects_of_texts.size() ? entry.subjects_of_texts[*bad]
                                                      : entry.subject;
}

}  // namespace

void Apply(const std::vector<Entry>& entries, Reading& reading) {
  for (const Entry& entry : entries) {
    const Status set = Set(*entry.key, entry.value, reading.configuration.settings);
    if (!set.ok()) {
      reading.complaints.Add(fmt::format("{} takes {}", SubjectOf(entry), set.message()));
    }
    reading.configuration.origins[PlaceOf(*entry.key)] = entry.origin;
  }
}

// A folder of the process itself needs no name.
std::vector<const Key*> MissingKeys(const Configuration& configuration) {
  std::vector<const Key*> missing;
  if (configuration.settings.ephemeral) return missing;
  for (const Key& key : Keys()) {
    if (key.is_needed() && configuration.OriginOf(key).empty()) missing.push_back(&key);
  }
  return missing;
}

void ComplainOfMissing(Reading& reading) {
  if (!reading.complaints.empty()) return;
  for (const Key* const key : MissingKeys(reading.configuration)) {
    const bool may_go = reading.configuration.settings.is_emulator();
    reading.complaints.Add(fmt::format("{} is required, or {}, or {} in the file of --config{}",
                                       FlagOf(*key), VariableOf(*key), key->name,
                                       may_go ? "; or --ephemeral, which keeps nothing" : ""));
  }
}

namespace {

// What others than this user can reach needs proof from them, and is encrypted where it leaves this
// machine. Empty: they may reach it.
std::string WhyNotOpen(const ListenAddress& address, const Settings& settings) {
  if (address.is_private()) return "";
  const bool is_access_on = settings.access == "on";
  if (address.is_unix() && is_access_on) return "";
  if (address.has_tls && is_access_on) return "";
  if (address.kind == ListenerKind::kOperations) {
    if (address.has_tls && settings.requires_certificates()) return "";
    return "operations that others can reach need TLS, and access = \"on\" or tls-client-ca";
  }
  if (address.is_unix()) return "a socket that others can use needs access = \"on\"";
  return fmt::format("beyond this machine wharfd listens with {}+tls:// and access = \"on\" only",
                     NameOf(address.kind));
}

}  // namespace

void ComplainOfListeners(Reading& reading) {
  const Key& key = *FindKey("listen");
  for (const std::string& text : reading.configuration.settings.listen) {
    const Result<ListenAddress> address = ParseListenAddress(text);
    if (!address.ok()) continue;
    const Settings& settings = reading.configuration.settings;
    if (address->has_tls && (settings.tls_cert.empty() || settings.tls_key.empty())) {
      reading.complaints.Add(fmt::format("{}: {}: TLS needs tls-cert and tls-key",
                                         reading.configuration.OriginOf(key),
                                         absl::CHexEscape(text)));
    }
    const std::string why_not = WhyNotOpen(*address, settings);
    if (why_not.empty() || settings.insecure) continue;
    reading.complaints.Add(fmt::format("{}: {}: {}", reading.configuration.OriginOf(key),
                                       absl::CHexEscape(text), why_not));
  }
}

std::vector<std::string> InsecureListeners(const Settings& settings) {
  std::vector<std::string> open;
  for (const std::string& text : settings.listen) {
    const Result<ListenAddress> address = ParseListenAddress(text);
    if (!address.ok() || WhyNotOpen(*address, settings).empty()) continue;
    std::vector<std::string> missing;
    if (!address->has_tls && !address->is_unix()) missing.emplace_back("TLS");
    if (settings.access != "on") missing.emplace_back("access = \"on\"");
    open.push_back(
        fmt::format("{} without {}", absl::CHexEscape(text), fmt::join(missing, " and ")));
  }
  return open;
}

namespace {

// Who says that certificates are required takes it for done.
void ComplainOfVainCertificates(Reading& reading) {
  const Configuration& configuration = reading.configuration;
  const std::string& origin = configuration.OriginOf(*FindKey("tls-client-cert"));
  const bool is_vain = !origin.empty() && configuration.settings.tls_client_cert == "required" &&
                       configuration.OriginOf(*FindKey("tls-client-ca")).empty();
  if (!is_vain) return;
  reading.complaints.Add(fmt::format(
      "{}: tls-client-cert is required, but no client is asked for one without tls-client-ca",
      origin));
}

// Who names an authority takes it for asked.
void ComplainOfVainAuthority(Reading& reading) {
  const Settings& settings = reading.configuration.settings;
  if (settings.trace_otlp_ca.empty() || settings.trace_otlp_endpoint.starts_with("https://"))
    return;
  reading.complaints.Add(
      fmt::format("{}: trace-otlp-ca is asked of nobody, unless trace-otlp-endpoint begins with "
                  "https://",
                  reading.configuration.OriginOf(*FindKey("trace-otlp-ca"))));
}

bool HasTls(const std::string& text) {
  const Result<ListenAddress> address = ParseListenAddress(text);
  return address.ok() && address->has_tls;
}

// Who names them takes what clients send for encrypted, or the clients for asked. What else is
// wrong may be why no listener is there for them.
void ComplainOfVainTls(Reading& reading) {
  const Settings& settings = reading.configuration.settings;
  const auto& listen = settings.listen;
  if (!reading.complaints.empty() || std::any_of(listen.begin(), listen.end(), HasTls)) return;
  const auto complain = [&reading](const char* key, const std::string& file) {
    if (file.empty()) return;
    reading.complaints.Add(fmt::format("{}: {} is used by no listener: none has +tls",
                                       reading.configuration.OriginOf(*FindKey(key)), key));
  };
  complain("tls-cert", settings.tls_cert);
  complain("tls-key", settings.tls_key);
  complain("tls-client-ca", settings.tls_client_ca);
}

// Tokens of anybody, or for anybody, are never meant.
void ComplainOfAnyIssuer(Reading& reading) {
  const Settings& settings = reading.configuration.settings;
  const bool is_whole =
      !settings.jwt_issuer.empty() && !settings.jwt_audience.empty() && !settings.jwt_claim.empty();
  if (settings.jwt_keys.empty() || is_whole) return;
  reading.complaints.Add(fmt::format("{}: jwt-keys needs jwt-issuer, jwt-audience and jwt-claim",
                                     reading.configuration.OriginOf(*FindKey("jwt-keys"))));
}

// Of less than that each file would be one batch.
void ComplainOfArchive(Reading& reading) {
  constexpr std::uint64_t kLeastBytes = std::uint64_t{16} << 20;
  const Settings& settings = reading.configuration.settings;
  const std::string& recipient = reading.configuration.OriginOf(*FindKey("backup-encrypt-to"));
  if (!settings.backup_encrypt_to.empty() && settings.backup_folder.empty()) {
    reading.complaints.Add(fmt::format(
        "{}: backup-encrypt-to needs backup-folder: nothing else is encrypted to it", recipient));
  }
  if (!settings.archives()) return;
  const std::string& origin = reading.configuration.OriginOf(*FindKey("archive-bytes"));
  if (settings.backup_folder.empty()) {
    reading.complaints.Add(
        fmt::format("{}: archive-bytes needs backup-folder, below which the archive lies", origin));
  }
  if (settings.archive_bytes < kLeastBytes) {
    reading.complaints.Add(fmt::format("{}: archive-bytes is 0B or at least 16MiB", origin));
  }
}

// Where it listens unless somebody says otherwise.
void ListenAsEmulator(Configuration& configuration) {
  Settings& settings = configuration.settings;
  if (!settings.is_emulator() || !configuration.OriginOf(*FindKey("listen")).empty()) return;
  settings.listen.emplace_back("amqp://127.0.0.1:5672");
  settings.listen.emplace_back("servicebus://127.0.0.1:5300");
}

// It takes any key, and is alone.
void ComplainOfEmulator(Reading& reading) {
  const Configuration& configuration = reading.configuration;
  const Settings& settings = configuration.settings;
  const auto complain = [&](const char* key, std::string_view why) {
    reading.complaints.Add(fmt::format("{}: {}", configuration.OriginOf(*FindKey(key)), why));
  };
  if (settings.is_emulator() && settings.access == "on") {
    complain("access", "the emulator takes any key, so access cannot be on");
  }
  if (settings.is_emulator() && settings.has_node()) {
    complain("node", "the emulator runs by itself, and is no node");
  }
  if (settings.ephemeral && !settings.is_emulator()) {
    complain("ephemeral", "only the emulator can be ephemeral");
  }
  // Main names the folder that it made.
  const std::string& data = configuration.OriginOf(*FindKey("data"));
  if (settings.ephemeral && !data.empty() && data != FlagOf(*FindKey("ephemeral"))) {
    complain("data", "data names a folder that stays, and ephemeral wants one that goes");
  }
}

}  // namespace

Reading ReadConfiguration(const Sources& sources) {
  Reading reading;
  if (!sources.file.empty()) Apply(EntriesOfPath(sources.file, reading.complaints), reading);
  Apply(sources.variables, reading);
  Apply(sources.flags, reading);
  ListenAsEmulator(reading.configuration);
  ComplainOfListeners(reading);
  ComplainOfEmulator(reading);
  ComplainOfVainCertificates(reading);
  ComplainOfVainAuthority(reading);
  ComplainOfAnyIssuer(reading);
  ComplainOfArchive(reading);
  ComplainOfVainTls(reading);
  return reading;
}

}  // namespace wharf::config
