#include "replication/cluster_node/node_store.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

Result<NodeStore> OpenAt(const RocksStoreOptions& options) {
  Result<std::unique_ptr<RocksStore>> store = RocksStore::Open(options);
  if (!store.ok()) return store.status();
  return NodeStore{.store = *std::move(store)};
}

// It may found a cluster, and until then nothing is written to it.
Result<NodeStore> OpenSingle(const NodeFolder& folder, const RocksStoreOptions& options) {
  Result<std::unique_ptr<RocksStore>> store = folder.OpenSingle(options);
  if (!store.ok()) return store.status();
  return NodeStore{.store = *std::move(store), .is_single = true};
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
  return OpenAt(options);
}

Result<NodeStore> OpenState(const NodeFolder& folder, const NodeIdentity& identity,
                            const RocksStoreOptions& options) {
  Status lost = folder.states().CheckState();
  if (lost.ok()) {
    Result<NodeStore> opened = OpenAt(options);
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
  return RocksStore::IsOfSingleNode(options) ? OpenSingle(folder, options) : OpenAt(options);
}

}  // namespace wharf
