#include "replication/cluster_node/node_folder.h"

#include <filesystem>
#include <system_error>

#include "replication/identity/identity_file.h"

namespace wharf {
namespace {

Status RemoveFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (!error) return {};
  return {ErrorCode::kGeneralError, path + " cannot be removed: " + error.message()};
}

Status AppendFirst(SegmentLog& log, const std::vector<LogEntry>& entries) {
  if (entries.empty()) return {};
  const LogEntry& last = entries.back();
  const HardState state{.term = last.term, .vote = 0, .commit = last.index};
  WHARF_RETURN_IF_ERROR(log.Append(entries, state));
  return log.Sync();
}

}  // namespace

Result<std::optional<NodeIdentity>> NodeFolder::Identity(const std::string& name) const {
  return ReadIdentityOf(data_, name);
}

Status NodeFolder::Become(const NodeIdentity& identity,
                          const std::vector<LogEntry>& entries) const {
  WHARF_RETURN_IF_ERROR(RemoveFolder(log_path()));
  const SegmentLogOptions options = OptionsOf(identity);
  WHARF_RETURN_IF_ERROR(SegmentLog::Make(options, {.random = random_}));
  Result<std::unique_ptr<SegmentLog>> log = SegmentLog::Open(options, {.random = random_});
  if (!log.ok()) return log.status();
  WHARF_RETURN_IF_ERROR(AppendFirst(**log, entries));
  return WriteIdentity(data_, identity);
}

Result<std::unique_ptr<SegmentLog>> NodeFolder::OpenLog(const NodeIdentity& identity) const {
  return SegmentLog::Open(OptionsOf(identity), {.random = random_});
}

SegmentLogOptions NodeFolder::OptionsOf(const NodeIdentity& identity) const {
  return {.path = log_path(),
          .owner = {.cluster = identity.cluster.ToBytes(), .node = identity.node.value()}};
}

}  // namespace wharf
