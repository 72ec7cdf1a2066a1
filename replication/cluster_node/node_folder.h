// NodeFolder: what makes a data folder that of a node: the log with which it votes, and the file
// that says whose it is.
//
//   DATA/NODE         identity_file.h
//   DATA/INVITATION   by whom it was invited; peers/admission/invitation.h
//   DATA/FOUNDING     with which members, where a broker that has data founds a cluster
//   DATA/MEMBERS      the members as the state had them last, for when it is lost; member_book.h
//   DATA/entries/     segments/segment_log.h
//
// The log is made first and the identity last, durably: a folder with an identity has a log, and
// one that has lost it is refused, because it may have voted. What was begun and has no identity
// never voted, and is begun anew. What has to be done while no state is open is done by the next
// start (Settle): a broker's data become the state of a node, the state of a snapshot takes the
// place of the one before. Whoever was invited finds the others by the invitation until its
// state names them. Used by a ClusterNode, before it takes part.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replication/cluster_node/state_folder.h"
#include "replication/identity/node_identity.h"
#include "replication/peers/admission/invitation.h"
#include "storage/base/random.h"
#include "storage/entry_log.h"
#include "storage/rocks/rocks_store.h"
#include "storage/segments/segment_log.h"

namespace wharf {

class NodeFolder {
 public:
  // `random` is used for as long as a log is that came from here.
  NodeFolder(std::string data, Random& random,
             std::size_t segment_bytes = SegmentLogOptions().segment_bytes)
      : data_(std::move(data)), random_(random), segment_bytes_(segment_bytes) {}

  // Nothing: it belongs to no cluster. Refuses that of a node with another name.
  Result<std::optional<NodeIdentity>> Identity(const std::string& name) const;
  // It belongs from now on to the first node of a cluster, whose log begins with this entry, which
  // is committed; or to the node that is invited. Refused if it belongs to one.
  Status Found(const NodeIdentity& identity, const LogEntry& first) const;
  // The same of a broker that has data, whose cluster has these members: the log begins behind
  // kFounded, and what is there becomes the state as of there when the folder is settled.
  Status FoundWithData(const NodeIdentity& identity, const std::string& members) const;
  static constexpr LogPlace kFounded{1, 1};
  Status Join(const Invitation& invitation) const;
  // Those who vote are these, as bytes of a book: a node whose state is lost finds the others by
  // them.
  Status KeepMembers(const std::string& members) const;
  // Of who kept none, nobody's.
  Result<std::string> Members() const;
  // Whether it belongs to a cluster in which others vote: their state can take the place of its
  // own.
  bool has_others(const std::string& name) const;
  // Of whoever was invited; nobody else has any.
  Result<std::vector<Member>> Inviters() const;
  Result<std::unique_ptr<SegmentLog>> OpenLog(const NodeIdentity& identity) const;

  StateFolder states() const { return StateFolder(data_); }
  // Of a broker by itself: its state, which has all of its log.
  Result<std::unique_ptr<RocksStore>> OpenSingle(const RocksStoreOptions& store) const;

  // At a start of the node of this name, before the store is opened: does what is left to do, and
  // says where the store is. `store`: how it would be opened in DATA.
  Result<std::string> Settle(const std::string& name, const RocksStoreOptions& store) const;

  // The same, of a node that is to be recovered.
  Result<std::string> SettleFor(const NodeIdentity& identity, const RocksStoreOptions& store) const;

  // A recovery (recovery.h): the node is not started from its beginning to its end. It forgets who
  // it was when its state has all that its log has, and becomes another one whose log begins there.
  bool is_recovering() const;
  Status BeginRecovery() const;
  Status ForgetIdentity() const;
  Status EndRecovery(const NodeIdentity& identity, const LogPlace& place) const;

 private:
  // The log as `begin` makes it of an empty one.
  Status Become(const NodeIdentity& identity,
                const std::function<Status(SegmentLog&)>& begin) const;
  Status EndFounding(const std::optional<NodeIdentity>& identity, RocksStoreOptions store) const;
  Status EndSingleLog(const RocksStoreOptions& store) const;
  Status SettleSnapshot(const NodeIdentity& identity, const StateFolder& state) const;
  std::string recovery_path() const { return data_ + "/RECOVERY"; }
  std::string founding_path() const { return data_ + "/FOUNDING"; }
  std::string invitation_path() const { return data_ + "/INVITATION"; }
  std::string members_path() const { return data_ + "/MEMBERS"; }
  std::string log_path() const { return data_ + "/entries"; }
  SegmentLogOptions OptionsOf(const NodeIdentity& identity) const;

  const std::string data_;
  Random& random_;
  const std::size_t segment_bytes_;
};

}  // namespace wharf
