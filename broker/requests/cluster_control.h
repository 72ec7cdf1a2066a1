// ClusterControl: what doors ask of the cluster that this node belongs to: who is in it, how it
// does, and changes of that.
//
// Implemented by the daemon, and by LoneNode where there is no cluster to belong to. Asked by the
// service Cluster, on any thread, also while this node does not lead or waits to be invited; who
// may ask is the door's to know. No call waits: answers come once, on any thread, when what they
// tell has happened. What changes the cluster is done by the leader alone: others answer
// PartitionNotOwned, with its address. A change that is refused has changed nothing; one at a time:
// a second one is refused with ServiceBusy.
//
// Bounded: a cluster has at most kMembersMax members, a name kMemberNameBytesMax bytes, an address
// kMemberAddressBytesMax; what a door is asked for beyond that it refuses itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "broker/requests/answer.h"
#include "storage/base/latency.h"
#include "storage/base/time.h"

namespace wharf {

inline constexpr std::size_t kMembersMax = 16;
inline constexpr std::size_t kMemberNameBytesMax = 63;
inline constexpr std::size_t kMemberAddressBytesMax = 300;

// How one member of a cluster does, as the node sees it that is asked. What it cannot know is
// absent: a leader knows of all, the others of the leader and themselves.
struct ClusterMember {
  // As the log has it; never that of another one, also when it is gone.
  std::string id{};
  std::string name{};
  // Where its peers reach it, and its clients; of the latter empty: it has told none.
  std::string peer_address{};
  std::string client_address{};
  // It counts for majorities; a learner does not yet.
  bool is_voter = false;
  bool is_leader = false;
  // Of this node itself: always.
  bool is_reachable = false;
  // Why not; empty if it is.
  std::string trouble{};
  std::optional<Duration> last_heard{};  // How long ago.
  // How far its log is behind the leader's.
  std::optional<std::uint64_t> lag_entries{};
  std::optional<std::uint64_t> lag_bytes{};
  std::optional<Duration> lag{};
  std::optional<Duration> round_trip{};
  // By how much its wall clock is ahead of this node's.
  std::optional<Duration> clock_offset{};
  // It says so of itself, and leads only where the disk of no other one has room.
  bool is_short_of_disk = false;
  // Up to which level of the format it reads.
  std::optional<std::uint64_t> format_level_max{};
};

struct ClusterStatus {
  // Empty: this node waits to be invited, or to found one.
  std::string cluster_id{};
  std::string node_id{};
  std::string node_name{};
  bool waits_for_invitation = false;
  // The name of who leads, as far as this node knows; empty: nobody.
  std::string leader{};
  std::uint64_t term = 0;
  std::uint64_t committed_index = 0;
  std::uint64_t applied_index = 0;
  // Of what is written: what an older member could not read is not.
  std::uint64_t format_level = 0;
  std::vector<ClusterMember> members{};
  // Of this node's log on disk, and of its synced writes.
  std::uint64_t log_bytes = 0;
  std::uint64_t log_segments = 0;
  Latency::Snapshot sync_latency{};
  // A snapshot that this node makes, sends or takes now, or why it did not take the last one, in
  // words; empty: none.
  std::string snapshot{};
  // What keeps this node from leading, or from taking part, in a sentence; empty: nothing.
  std::string trouble{};
  // Its state is lost: it takes that of another member, and no part until it has it.
  bool lacks_state = false;
  // Which peer was refused here last since the process began, and why, in a sentence; empty: none.
  // And how long ago.
  std::string refused_peer{};
  Duration refused_ago{};
  // It leads, and clients are served here.
  bool is_serving = false;
  // Since the process began: how often that began and ended; and the batches of changes that were
  // not done, or of which nobody here knows, because it ended.
  std::uint64_t leaderships_begun = 0;
  std::uint64_t leaderships_ended = 0;
  std::uint64_t refused_batches = 0;
};

struct ClusterFounded {
  std::string cluster_id{};
  // On this node's machine, a file with a connection string that may do everything; empty: nobody
  // has to prove anything.
  std::string root_file{};
};

// How a comparison of what the members have stored goes, or how it ended.
struct StateVerification {
  struct Member {
    std::string name{};
    // Why it was not compared; empty: it was.
    std::string trouble{};
  };
  struct Difference {
    std::string table{};
    std::string key{};
    std::uint64_t index = 0;
    std::vector<std::string> members{};
    bool has_majority = false;
  };

  bool is_under_way = false;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  // The entry of the log as of which the last range was compared.
  std::uint64_t index = 0;
  std::vector<Member> members{};
  std::optional<Difference> difference{};
  // What the difference means, or why it came to no end, in a sentence; empty: neither.
  std::string trouble{};
};

class ClusterControl {
 public:
  virtual ~ClusterControl() = default;

  // Whether this node is a member of one. Cheap.
  virtual bool has_cluster() const = 0;
  // Cheap.
  virtual void GetStatus(Answer<ClusterStatus> answer) = 0;

  // Makes this node the first member of a new cluster, with all that it has; answered when it
  // leads.
  virtual void Found(Answer<ClusterFounded> answer) = 0;
  // Invites the node that waits there under this name. It is a learner, when this is answered, and
  // votes by itself when it has caught up.
  virtual void Add(std::string name, std::string peer_address, Answer<std::monostate> answer) = 0;
  // For good: under this name only a new member comes back. Not of who leads.
  virtual void Remove(std::string name, Answer<std::monostate> answer) = 0;
  // Hands leadership over to this member.
  virtual void Transfer(std::string name, Answer<std::monostate> answer) = 0;
  // Tells everybody where clients of this member ask.
  virtual void SetAddress(std::string name, std::string client_address,
                          Answer<std::monostate> answer) = 0;
  // Begins to compare the states of all members, if that is not under way, or only looks.
  enum class Verify : bool { kLook, kBegin };
  virtual void VerifyState(Verify what, Answer<StateVerification> answer) = 0;
};

}  // namespace wharf
