#include "replication/cluster_node/node_folder.h"

#include <filesystem>
#include <system_error>

#include "replication/identity/durable_file.h"
#include "replication/identity/identity_file.h"

namespace wharf {
namespace {

constexpr mode_t kPrivate = 0600;
// Larger than any that is let in.
constexpr std::size_t kInvitationBytesMax = std::size_t{1} << 20;

Status RemoveAll(const std::string& path) {
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

// An invitation that was not taken to its end counts no more.
Status NodeFolder::Found(const NodeIdentity& identity, const LogEntry& first) const {
  WHARF_RETURN_IF_ERROR(RemoveAll(invitation_path()));
  return Become(identity, {first});
}

Status NodeFolder::Join(const Invitation& invitation) const {
  WHARF_RETURN_IF_ERROR(WriteDurably(invitation_path(), Encode(invitation), kPrivate));
  return Become(invitation.identity, {});
}

Result<std::vector<Member>> NodeFolder::Inviters() const {
  const Result<std::optional<std::string>> bytes =
      ReadSmallFile(invitation_path(), kInvitationBytesMax);
  if (!bytes.ok()) return bytes.status();
  if (!*bytes) return std::vector<Member>();
  Result<Invitation> invitation = DecodeInvitation(**bytes);
  if (!invitation.ok()) return invitation.status();
  return std::move(invitation->members);
}

// A log that an identity stands beside may hold votes, and stays.
Status NodeFolder::Become(const NodeIdentity& identity,
                          const std::vector<LogEntry>& entries) const {
  const Result<std::optional<NodeIdentity>> before = ReadIdentity(data_);
  if (!before.ok()) return before.status();
  if (*before) {
    return {ErrorCode::kInvalidOperation,
            "the folder belongs to " + (*before)->ToText() + ": start wharfd again"};
  }
  WHARF_RETURN_IF_ERROR(RemoveAll(log_path()));
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
