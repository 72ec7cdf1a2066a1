#include "replication/core/raft_core.h"

#include <algorithm>
#include <cstdlib>

#include <spdlog/spdlog.h>

#include "storage/base/mutant.h"

namespace wharf {
namespace {

std::string TextOf(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

std::string_view ViewOf(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

RaftReady& ReadyOf(void* self) { return *static_cast<RaftReady*>(self); }

wharf_raft_sink SinkTo(RaftReady& ready) {
  wharf_raft_sink sink{};
  sink.self = &ready;
  sink.snapshot = [](void* self, std::uint64_t index, std::uint64_t term, const void* members,
                     std::size_t members_size, const void* data, std::size_t size) {
    ReadyOf(self).snapshot = {index, term, TextOf(members, members_size), TextOf(data, size)};
  };
  sink.entry = [](void* self, std::uint64_t index, std::uint64_t term, std::uint8_t kind,
                  const void* data, std::size_t size) {
    ReadyOf(self).entries.push_back(
        {index, term, static_cast<EntryKind>(kind), TextOf(data, size)});
  };
  sink.member = [](void* self, std::uint64_t index, std::uint64_t term, const void* data,
                   std::size_t size) {
    ReadyOf(self).member_changes.push_back({index, term, EntryKind::kMember, TextOf(data, size)});
  };
  sink.message = [](void* self, std::uint64_t to, std::uint8_t kind, const void* data,
                    std::size_t size) {
    ReadyOf(self).messages.push_back({to, static_cast<MessageClass>(kind), TextOf(data, size)});
  };
  sink.readable = [](void* self, std::uint64_t index, const void* context, std::size_t size) {
    ReadyOf(self).readable.push_back({index, TextOf(context, size)});
  };
  return sink;
}

spdlog::level::level_enum LevelOf(int level) {
  if (level == WHARF_RAFT_INFO) return spdlog::level::debug;
  return level == WHARF_RAFT_WARNING ? spdlog::level::warn : spdlog::level::err;
}

}  // namespace

// The log as the core asks for it.
class RaftCore::Host {
 public:
  static std::uint64_t FirstIndex(void* self) { return Of(self).log_.start().index + 1; }
  static std::uint64_t LastIndex(void* self) { return Of(self).log_.last_index(); }
  static std::uint64_t TermOf(void* self, std::uint64_t index) {
    return Of(self).log_.TermOf(index);
  }

  static std::int64_t Entries(void* self, std::uint64_t first, std::uint64_t end,
                              std::uint64_t bytes_max, const wharf_raft_entry** entries) {
    RaftCore& core = Of(self);
    Result<std::vector<LogEntry>> read = core.log_.Read(first, end, bytes_max);
    if (!read.ok()) {
      spdlog::critical("node {}: {}", core.id_, read.status().message());
      return -1;
    }
    core.read_ = std::move(*read);
    core.read_heads_.clear();
    for (const LogEntry& entry : core.read_) {
      core.read_heads_.push_back({entry.index, entry.term, static_cast<std::uint8_t>(entry.kind),
                                  entry.data.data(), entry.data.size()});
    }
    *entries = core.read_heads_.data();
    return static_cast<std::int64_t>(core.read_heads_.size());
  }

  static int Snapshot(void* self, wharf_raft_snapshot* snapshot) {
    RaftCore& core = Of(self);
    std::optional<RaftSnapshot> found =
        core.snapshots_.Snapshot(std::max(core.log_.start().index, core.members_index_));
    if (!found) return 0;
    core.snapshot_ = std::move(*found);
    const RaftSnapshot& from = core.snapshot_;
    *snapshot = {from.index,          from.term,        from.members.data(),
                 from.members.size(), from.data.data(), from.data.size()};
    return 1;
  }

  static void Log(void* self, int level, const char* text, std::size_t size) {
    spdlog::log(LevelOf(level), "node {}: {}", Of(self).id_, ViewOf(text, size));
  }

  static void Fail(void* self, const char* text, std::size_t size) {
    spdlog::critical("node {}: the consensus cannot go on: {}", Of(self).id_, ViewOf(text, size));
    spdlog::default_logger()->flush();
    std::abort();
  }

 private:
  static RaftCore& Of(void* self) { return *static_cast<RaftCore*>(self); }
};

wharf_raft_host RaftCore::HostCalls() {
  return {this,          Host::FirstIndex, Host::LastIndex, Host::TermOf,
          Host::Entries, Host::Snapshot,   Host::Log,       Host::Fail};
}

RaftCore::RaftCore(const RaftLibrary& library, const Options& options, const Start& start,
                   const EntryLog& log, SnapshotSource& snapshots)
    : calls_(library.calls()), id_(options.id), log_(log), snapshots_(snapshots), core_([&] {
        const wharf_raft_host host = HostCalls();
        wharf_raft_config config{};
        config.id = options.id;
        config.election_ticks = options.election_ticks;
        config.heartbeat_ticks = options.heartbeat_ticks;
        config.applied = start.applied;
        config.members = start.members.data();
        config.members_size = start.members.size();
        config.term = start.hard_state.term;
        config.vote = start.hard_state.vote;
        config.commit = start.hard_state.commit;
        config.message_bytes_max = options.message_bytes_max;
        config.ready_bytes_max = options.ready_bytes_max;
        config.uncommitted_bytes_max = options.uncommitted_bytes_max;
        config.inflight_messages_max = options.inflight_messages_max;
        config.forwards_proposals = kMutant == Mutant::kForwarding ? 1 : 0;
        return calls_.wharf_raft_new(&config, &host);
      }()) {}

RaftCore::~RaftCore() { calls_.wharf_raft_free(core_); }

void RaftCore::Tick() { calls_.wharf_raft_tick(core_); }

bool RaftCore::Step(RaftId from, std::string_view message) {
  return calls_.wharf_raft_step(core_, from, message.data(), message.size()) != 0;
}

bool RaftCore::Propose(std::string_view data) {
  return calls_.wharf_raft_propose(core_, data.data(), data.size()) != 0;
}

bool RaftCore::ProposeMember(const MemberChange& change) {
  return calls_.wharf_raft_propose_member(core_, static_cast<int>(change.kind), change.node,
                                          change.context.data(), change.context.size()) != 0;
}

Result<std::string> RaftCore::ApplyMember(const LogEntry& entry) {
  std::string members;
  const wharf_raft_bytes to = {&members, [](void* self, const void* data, std::size_t size) {
                                 *static_cast<std::string*>(self) = TextOf(data, size);
                               }};
  if (calls_.wharf_raft_apply_member(core_, entry.data.data(), entry.data.size(), &to) == 0) {
    return Status::Damage("an entry that should change the members cannot be read");
  }
  members_index_ = entry.index;
  return members;
}

bool RaftCore::HasReady() const { return calls_.wharf_raft_has_ready(core_) != 0; }

RaftReady RaftCore::TakeReady() {
  RaftReady ready;
  wharf_raft_ready_head head{};
  const wharf_raft_sink sink = SinkTo(ready);
  calls_.wharf_raft_ready(core_, &head, &sink);
  ready.leader = head.leader;
  ready.role = static_cast<RaftRole>(head.role);
  if (head.has_hard_state != 0) ready.hard_state = HardState{head.term, head.vote, head.commit};
  ready.must_sync = head.must_sync != 0;
  ready.committed = head.committed;
  return ready;
}

void RaftCore::Advance() { calls_.wharf_raft_advance(core_); }

void RaftCore::Campaign() { calls_.wharf_raft_campaign(core_); }

void RaftCore::TransferLeader(RaftId to) { calls_.wharf_raft_transfer(core_, to); }

void RaftCore::ReadIndex(std::string_view context) {
  calls_.wharf_raft_read_index(core_, context.data(), context.size());
}

void RaftCore::ReportUnreachable(RaftId node) { calls_.wharf_raft_report_unreachable(core_, node); }

void RaftCore::ReportSnapshot(RaftId node, bool is_installed) {
  calls_.wharf_raft_report_snapshot(core_, node, is_installed ? 1 : 0);
}

RaftStatus RaftCore::status() const {
  wharf_raft_status status{};
  calls_.wharf_raft_get_status(core_, &status);
  return {.hard_state = {status.term, status.vote, status.commit},
          .leader = status.leader,
          .transferee = status.transferee,
          .role = static_cast<RaftRole>(status.role)};
}

std::optional<MemberProgress> RaftCore::ProgressOf(RaftId node) const {
  wharf_raft_progress progress{};
  if (calls_.wharf_raft_get_progress(core_, node, &progress) == 0) return std::nullopt;
  return MemberProgress{.match = progress.match,
                        .next = progress.next,
                        .is_learner = progress.is_learner != 0,
                        .is_recently_active = progress.is_recently_active != 0,
                        .awaits_snapshot = progress.state == WHARF_RAFT_AWAITS_SNAPSHOT};
}

}  // namespace wharf
