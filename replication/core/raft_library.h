// RaftLibrary: the raft core of etcd, opened as a shared library when somebody replicates.
//
// Opening it starts Go in this process: threads, memory and handlers of signals, and none of it
// goes away again. So a daemon with a folder of its own never does. One for all cores of a process;
// any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replication/core/wharf_raft.h"
#include "storage/base/shared_bytes.h"
#include "storage/base/status.h"

namespace wharf {

// The number of a node in its cluster: never 0, and never used again.
using RaftId = std::uint64_t;

// Who takes part: voters are counted, learners only follow.
struct Members {
  std::vector<RaftId> voters{};
  std::vector<RaftId> learners{};

  friend bool operator==(const Members&, const Members&) = default;
};

// One change of the members, as an entry says it.
struct MemberChange {
  // The numbers of raftpb.ConfChangeType. An update changes nothing but what the context says.
  enum class Kind : std::uint8_t { kAddVoter = 0, kRemove = 1, kUpdate = 2, kAddLearner = 3 };

  Kind kind = Kind::kAddVoter;
  RaftId node = 0;
  // Whatever whoever proposed it wants to find again.
  std::string context{};

  bool changes_voters() const { return kind == Kind::kAddVoter || kind == Kind::kRemove; }
};

// A state that a snapshot brings: what it is, not its content.
struct RaftSnapshot {
  std::uint64_t index = 0;
  std::uint64_t term = 0;
  std::string members{};  // As EncodeMembers wrote them.
  std::string data{};     // Ours.
};

class RaftLibrary {
 public:
  // The file libwharfraft.so.
  static Result<std::unique_ptr<RaftLibrary>> Open(const std::string& path);

  RaftLibrary(const RaftLibrary&) = delete;
  RaftLibrary& operator=(const RaftLibrary&) = delete;

  // Calls the body on a thread of Go's own, and returns when the body has. From there a call into a
  // core costs a tenth of what it costs from a thread that Go does not know.
  void Run(const std::function<void()>& body) const;

  // From here on the elections of all cores of this process are drawn from the seed.
  void Seed(std::int64_t seed) const { calls_.wharf_raft_seed(seed); }

  // The bytes of the core for its members; they stand in the state and in snapshots.
  std::string EncodeMembers(const Members& members) const;
  Result<Members> DecodeMembers(std::string_view bytes) const;
  // An entry of the kind kMember, and what it says.
  std::string EncodeMemberChange(const MemberChange& change) const;
  Result<MemberChange> DecodeMemberChange(std::string_view entry) const;
  // Of a message that brings one.
  Result<RaftSnapshot> DecodeSnapshot(const SharedBytes& message) const;

  struct Calls {
#define WHARF_RAFT_FIELD(name, result, parameters) result(*name) parameters = nullptr;
    WHARF_RAFT_FUNCTIONS(WHARF_RAFT_FIELD)
#undef WHARF_RAFT_FIELD
  };
  const Calls& calls() const { return calls_; }

 private:
  explicit RaftLibrary(const Calls& calls) : calls_(calls) {}

  const Calls calls_;
};

}  // namespace wharf
