#include "broker/daemon/listening/root_access.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/access/connection_string.h"
#include "broker/schema/change_encoder.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;

using access::AccessRule;
using access::KeySlot;

Status Failed(std::string_view what, const fs::path& path) {
  return {ErrorCode::kGeneralError,
          fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno))};
}

class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags) : descriptor_(open(path.c_str(), flags, 0600)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  bool Write(std::string_view text) const {
    return fchmod(descriptor_, S_IRUSR | S_IWUSR) == 0 &&
           write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  bool Sync() const { return fsync(descriptor_) == 0; }

 private:
  const int descriptor_;
};

// Whole or not at all, and nobody else reads it on its way.
Status WriteSecret(const fs::path& path, std::string_view text) {
  fs::path fresh = path;
  fresh += ".dbtmp";
  std::error_code error;
  fs::remove(fresh, error);
  {
    const OpenFile file(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC);
    const bool is_written = file.is_open() && file.Write(text) && file.Sync();
    if (!is_written) return Failed("write", fresh);
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return Failed("write", path);
  const OpenFile folder(path.parent_path(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!folder.is_open() || !folder.Sync()) return Failed("sync", path.parent_path());
  return {};
}

Status MakeRule(const RootAccess& root, Timestamp now, BrokerImage& image) {
  const AccessRuleSet made{EntityId(),
                           AccessRule(std::string(access::kRootRuleName), access::Right::kManage,
                                      access::DrawKey(root.keys), access::DrawKey(root.keys), now)};
  WriteBatch batch;
  Encode({made}, batch);
  EncodeRootFileDue(true, batch);
  WHARF_RETURN_IF_ERROR(root.commit(std::move(batch)));
  image.access_rules.push_back(made);
  image.is_root_file_due = true;
  spdlog::info("access is on: made the rule {}", access::kRootRuleName);
  return {};
}

bool IsRoot(const AccessRuleSet& each) {
  return IsOfNamespace(each) &&
         access::FoldRuleName(each.rule->name()) == access::FoldRuleName(access::kRootRuleName);
}

Status WriteFile(const RootAccess& root, const AccessRule& rule) {
  const fs::path path = fs::path(root.folder) / kRootFile;
  const access::ConnectionString connection{
      .endpoint = *root.endpoint, .key_name = rule.name(), .key = rule.key(KeySlot::kPrimary)};
  WHARF_RETURN_IF_ERROR(WriteSecret(path, ToString(connection) + "\n"));
  spdlog::info("{} has the connection string of the rule {}", path.string(), rule.name());
  return {};
}

}  // namespace

bool IsOfNamespace(const AccessRuleSet& rule) { return rule.entity == EntityId(); }

Result<bool> IsAccessOn(const config::Configuration& configuration, std::size_t rules) {
  const std::string& said = configuration.settings.access;
  if (said != "off") return said == "on" || rules > 0;
  const config::Key& key = *config::FindKey("access");
  const std::string& origin = configuration.OriginOf(key);
  if (rules == 0 || origin == config::FlagOf(key)) return false;
  return Status(ErrorCode::kGeneralError,
                fmt::format("the folder has {} access rules, and {} says that access is off; that "
                            "takes the flag --access=off",
                            rules, origin));
}

// The rule may be gone by now, if the broker ran without access in between; then there is nothing
// to write.
Status MakeRootAccess(const RootAccess& root, Timestamp now, BrokerImage& image) {
  const bool lacks_manager = std::none_of(
      image.access_rules.begin(), image.access_rules.end(), [](const AccessRuleSet& each) {
        return IsOfNamespace(each) && each.rule->rights().Has(access::Right::kManage);
      });
  const bool is_taken = std::any_of(image.access_rules.begin(), image.access_rules.end(), IsRoot);
  if (lacks_manager && is_taken) {
    spdlog::warn(
        "nobody may manage the broker, for the rule {} has no Manage: start with --access=off, "
        "and make another one",
        access::kRootRuleName);
  }
  const bool is_needed = lacks_manager && !is_taken;
  if (!is_needed && !image.is_root_file_due) return {};
  if (!root.endpoint.ok()) return root.endpoint.status();
  if (is_needed) WHARF_RETURN_IF_ERROR(MakeRule(root, now, image));
  const std::vector<AccessRuleSet>& rules = image.access_rules;
  const auto rule = std::find_if(rules.begin(), rules.end(), IsRoot);
  if (rule != rules.end()) WHARF_RETURN_IF_ERROR(WriteFile(root, *rule->rule));
  WriteBatch batch;
  EncodeRootFileDue(false, batch);
  return root.commit(std::move(batch));
}

}  // namespace wharf
