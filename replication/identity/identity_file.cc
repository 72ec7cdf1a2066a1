#include "replication/identity/identity_file.h"

#include <string_view>
#include <utility>

#include <absl/strings/numbers.h>
#include <fmt/core.h>

#include "replication/identity/durable_file.h"
#include "storage/base/crc32c.h"

namespace wharf {
namespace {

constexpr std::size_t kFileBytesMax = 1024;
constexpr std::string_view kFirstLine = "wharf-node 1\n";

std::string PathIn(const std::string& folder) { return folder + "/" + kIdentityFile; }

std::string BodyOf(const NodeIdentity& identity) {
  return fmt::format("{}cluster {}\nnode {}\nname {}\n", kFirstLine, identity.cluster.ToText(),
                     identity.node.value(), identity.name);
}

std::string LastLineOf(std::string_view body) { return fmt::format("crc {:08x}\n", Crc32c(body)); }

std::string FileOf(const NodeIdentity& identity) {
  const std::string body = BodyOf(identity);
  return body + LastLineOf(body);
}

// What stands on the next line behind its word.
std::string_view TakeLine(std::string_view& rest, std::string_view word) {
  const std::size_t end = rest.find('\n');
  if (!rest.starts_with(word) || end == rest.npos) return {};
  const std::string_view value = rest.substr(word.size(), end - word.size());
  rest.remove_prefix(end + 1);
  return value;
}

// What is not written exactly as FileOf does it is none.
std::optional<NodeIdentity> Parse(std::string_view file) {
  std::string_view rest = file;
  TakeLine(rest, kFirstLine.substr(0, kFirstLine.size() - 1));
  const auto cluster = ClusterId::FromText(TakeLine(rest, "cluster "));
  const std::string_view number = TakeLine(rest, "node ");
  const std::string_view name = TakeLine(rest, "name ");
  std::uint64_t node = 0;
  if (!cluster || !absl::SimpleAtoi(absl::string_view(number.data(), number.size()), &node)) {
    return std::nullopt;
  }
  NodeIdentity identity{.cluster = *cluster, .node = NodeId(node), .name = std::string(name)};
  const bool is_whole =
      identity.node != NodeId() && CheckNodeName(identity.name).ok() && FileOf(identity) == file;
  return is_whole ? std::optional(std::move(identity)) : std::nullopt;
}

Status Unreadable(const std::string& path, std::string_view file) {
  const bool is_newer = file.starts_with("wharf-node ") && !file.starts_with(kFirstLine) &&
                        file.find('\n') != file.npos;
  const std::string_view why = is_newer
                                   ? "it was written by a newer version; start that one"
                                   : "it is damaged; bring it back from a backup, or replace this "
                                     "node under a new id";
  return {ErrorCode::kGeneralError, fmt::format("{} cannot be read: {}", path, why)};
}

}  // namespace

Result<std::optional<NodeIdentity>> ReadIdentity(const std::string& folder) {
  const std::string path = PathIn(folder);
  Result<std::optional<std::string>> file = ReadSmallFile(path, kFileBytesMax);
  if (!file.ok()) return file.status();
  if (!*file) return std::optional<NodeIdentity>();
  std::optional<NodeIdentity> identity = Parse(**file);
  if (!identity) return Unreadable(path, **file);
  return identity;
}

Result<std::optional<NodeIdentity>> ReadIdentityOf(const std::string& folder,
                                                   const std::string& name) {
  Result<std::optional<NodeIdentity>> identity = ReadIdentity(folder);
  if (!identity.ok() || !*identity || (*identity)->name == name) return identity;
  return Status(ErrorCode::kGeneralError,
                fmt::format("{} belongs to {}, not to {}; start it with --node {}, or name another "
                            "folder",
                            folder, (*identity)->ToText(), name, (*identity)->name));
}

Status WriteIdentity(const std::string& folder, const NodeIdentity& identity) {
  WHARF_RETURN_IF_ERROR(CheckNodeName(identity.name));
  if (identity.cluster.is_zero() || identity.node == NodeId()) {
    return {ErrorCode::kArgumentError, "an identity has a cluster and a node"};
  }
  const Result<std::optional<NodeIdentity>> there = ReadIdentity(folder);
  if (!there.ok()) return there.status();
  if (!*there || **there == identity) return WriteDurably(PathIn(folder), FileOf(identity), 0600);
  return {ErrorCode::kInvalidOperation,
          fmt::format("{} belongs to {} already; {} needs an empty one", folder, (*there)->ToText(),
                      identity.ToText())};
}

}  // namespace wharf
