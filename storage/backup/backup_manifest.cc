#include "storage/backup/backup_manifest.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include <absl/strings/ascii.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "storage/backup/sha256.h"

namespace wharf {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSumWord = "sha256 ";
constexpr std::size_t kSumDigits = 64;
constexpr std::size_t kNameBytesMax = 255;

// A name in the folder itself, and none that is there anyway.
bool IsFileName(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' &&
         name != kBackupManifestFile &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return absl::ascii_isalnum(letter) || letter == '-' || letter == '_' || letter == '.';
         });
}

bool IsSum(std::string_view sum) {
  return sum.size() == kSumDigits && std::all_of(sum.begin(), sum.end(), [](unsigned char digit) {
           return absl::ascii_isxdigit(digit);
         });
}

// Each is there with its head, and nothing else is.
bool ArePairs(const BackupManifest& manifest) {
  return std::all_of(manifest.files.begin(), manifest.files.end(), [&](const BackupFile& file) {
    std::string_view name = file.name;
    const bool is_head = name.ends_with(kEncryptedHeadEnding);
    if (!is_head && !name.ends_with(kEncryptedEnding)) return false;
    name.remove_suffix(is_head ? kEncryptedHeadEnding.size() : kEncryptedEnding.size());
    const std::string_view other = is_head ? kEncryptedEnding : kEncryptedHeadEnding;
    return IsFileName(name) && manifest.Find(fmt::format("{}{}", name, other)) != nullptr;
  });
}

// Sorted by their names, so that none comes twice, and of a size that can be counted together.
bool AreFiles(const std::vector<BackupFile>& files) {
  std::uint64_t left = std::numeric_limits<std::int64_t>::max();
  for (std::size_t at = 0; at < files.size(); ++at) {
    const BackupFile& file = files[at];
    if (!IsFileName(file.name) || !IsSum(file.sha256) || file.bytes > left) return false;
    if (at > 0 && file.name <= files[at - 1].name) return false;
    left -= file.bytes;
  }
  return !files.empty() && files.size() <= kBackupFilesMax;
}

std::int64_t MicrosOf(Timestamp time) { return time.time_since_epoch().count(); }

// What stands in front of the checksum; empty: it does not agree, or is not there.
std::string_view CheckedPart(std::string_view text) {
  const std::size_t tail = kSumWord.size() + kSumDigits + 1;
  if (text.size() <= tail || text.back() != '\n') return {};
  const std::string_view part = text.substr(0, text.size() - tail);
  const std::string_view sum = text.substr(part.size(), tail - 1);
  if (!sum.starts_with(kSumWord)) return {};
  return sum.substr(kSumWord.size()) == Sha256Of(part) ? part : std::string_view();
}

BackupFile FileOf(const Json& json) {
  return {json.at("name").get<std::string>(), json.at("bytes").get<std::uint64_t>(),
          json.at("sha256").get<std::string>(), json.value("mark", std::string())};
}

bool IsEncryptedFormat(const Json& json) {
  return json.at("format").get<std::uint64_t>() == kEncryptedBackupFormat;
}

BackupManifest ManifestOf(const Json& json) {
  BackupManifest manifest;
  manifest.label = json.at("label").get<std::string>();
  manifest.created_at = Timestamp(Duration(json.at("created_at_micros").get<std::int64_t>()));
  manifest.version = json.at("version").get<std::string>();
  manifest.is_of_node = json.at("is_of_node").get<bool>();
  manifest.cluster_id = json.at("cluster_id").get<std::string>();
  manifest.node_name = json.at("node_name").get<std::string>();
  manifest.store = json.at("store").get<std::string>();
  manifest.commits = json.at("commits").get<std::uint64_t>();
  // Backups of before there were archives do not say it.
  manifest.archive_run = json.value("archive_run", std::uint64_t{0});
  if (IsEncryptedFormat(json)) {
    manifest.encrypted_to = json.at("encrypted_to").get<std::string>();
    manifest.encrypted_to_name = json.at("encrypted_to_name").get<std::string>();
  }
  manifest.shared_bytes = json.at("shared_bytes").get<std::uint64_t>();
  for (const Json& file : json.at("files")) manifest.files.push_back(FileOf(file));
  return manifest;
}

Status Damaged(const std::string& where) {
  return Status::Damage(where + " is damaged: its checksum does not agree with what it says");
}

Status CheckFormat(const Json& json, const std::string& where) {
  const auto format = json.at("format").get<std::uint64_t>();
  if (format == kBackupFormat || format == kEncryptedBackupFormat) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("{} has format {}, and this wharfd reads formats {} and {}", where, format,
                      kBackupFormat, kEncryptedBackupFormat)};
}

}  // namespace

std::uint64_t BackupManifest::bytes() const {
  std::uint64_t sum = 0;
  for (const BackupFile& file : files) sum += file.bytes;
  return sum;
}

bool BackupManifest::IsOfSameBroker(const BackupManifest& other) const {
  if (is_of_node != other.is_of_node) return false;
  if (!is_of_node) return store == other.store;
  return cluster_id == other.cluster_id && node_name == other.node_name;
}

// A name in a folder, whatever a manifest says.
std::string BackupManifest::archive_owner() const {
  std::string owner = is_of_node ? cluster_id + "-" + node_name : store;
  for (char& letter : owner) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(letter))) letter = '-';
  }
  return owner;
}

const BackupFile* BackupManifest::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      files.begin(), files.end(), name,
      [](const BackupFile& file, std::string_view wanted) { return file.name < wanted; });
  return found == files.end() || found->name != name ? nullptr : &*found;
}

std::string BackupManifest::Encode() const {
  Json listed = Json::array();
  for (const BackupFile& file : files) {
    listed.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
    if (!file.mark.empty()) listed.back()["mark"] = file.mark;
  }
  Json json = {{"format", is_encrypted() ? kEncryptedBackupFormat : kBackupFormat},
               {"label", label},
               {"created_at_micros", MicrosOf(created_at)},
               {"version", version},
               {"is_of_node", is_of_node},
               {"cluster_id", cluster_id},
               {"node_name", node_name},
               {"store", store},
               {"commits", commits},
               {"archive_run", archive_run},
               {"shared_bytes", shared_bytes},
               {"files", std::move(listed)}};
  if (is_encrypted()) {
    json["encrypted_to"] = encrypted_to;
    json["encrypted_to_name"] = encrypted_to_name;
  }
  std::string text = json.dump(1) + "\n";
  const std::string sum = Sha256Of(text);
  return text + std::string(kSumWord) + sum + "\n";
}

Result<BackupManifest> BackupManifest::Decode(std::string_view text, const std::string& where) {
  const std::string_view part = CheckedPart(text);
  if (part.empty()) return Damaged(where);
  try {
    const Json json = Json::parse(part);
    WHARF_RETURN_IF_ERROR(CheckFormat(json, where));
    BackupManifest manifest = ManifestOf(json);
    if (!AreFiles(manifest.files)) return Damaged(where);
    if (IsEncryptedFormat(json) && !(IsSum(manifest.encrypted_to) && ArePairs(manifest))) {
      return Damaged(where);
    }
    return manifest;
  } catch (const Json::exception&) {
    return Damaged(where);
  }
}

}  // namespace wharf
