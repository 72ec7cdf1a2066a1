#include "replication/cluster_node/node_store.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

Result<NodeStore> OpenAt(RocksStoreOptions options, bool is_single) {
  if (is_single) options.position.reset();
  Result<std::unique_ptr<RocksStore>> store = RocksStore::Open(options);
  if (!store.ok()) return store.status();
  return NodeStore{.store = *std::move(store), .is_single = is_single};
}

// Nobody but the others has what was in it.
Status CheckReplaceable(const NodeFolder& folder, const NodeIdentity& identity,
                        const Status& lost) {
  if (const auto log = folder.OpenLog(identity); !log.ok()) return log.status();
  if (folder.has_others(identity.name)) return {};
  return Status::Damage(lost.message() +
                        ", and this node knows no other one whose state could take its place");
}

// Left of a process before, it may be of any kind.
Result<NodeStore> OpenStandIn(const StateFolder& states, RocksStoreOptions options) {
  options.path = states.stand_in();
  std::error_code error;
  std::filesystem::remove_all(options.path, error);
  return OpenAt(std::move(options), /*is_single=*/false);
}

Result<NodeStore> OpenState(const NodeFolder& folder, const NodeIdentity& identity,
                            const RocksStoreOptions& options) {
  Status lost = folder.states().CheckState();
  if (lost.ok()) {
    Result<NodeStore> opened = OpenAt(options, /*is_single=*/false);
    if (opened.ok()) return opened;
    lost = opened.status();
  }
  if (!lost.is_damage()) return lost;
  WHARF_RETURN_IF_ERROR(CheckReplaceable(folder, identity, lost));
  spdlog::error("{}: the state of another member takes its place", lost.message());
  WHARF_RETURN_IF_ERROR(folder.states().SetAside());
  Result<NodeStore> stand_in = OpenStandIn(folder.states(), options);
  if (stand_in.ok()) stand_in->lost = lost.message();
  return stand_in;
}

}  // namespace

Result<NodeStore> OpenNodeStore(const NodeFolder& folder, const std::string& name,
                                RocksStoreOptions options) {
  Result<std::string> path = folder.Settle(name, options);
  if (!path.ok()) return path.status();
  options.path = *std::move(path);
  const Result<std::optional<NodeIdentity>> identity = folder.Identity(name);
  if (!identity.ok()) return identity.status();
  if (*identity) return OpenState(folder, **identity, options);
  return OpenAt(options, RocksStore::IsOfSingleNode(options));
}

}  // namespace wharf
