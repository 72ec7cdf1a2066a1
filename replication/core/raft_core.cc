#include "replication/core/raft_core.h"

#include <algorithm>
#include <cstdlib>

#include <spdlog/spdlog.h>

#include "replication/core/core_message.h"
#include "storage/base/mutant.h"

namespace wharf {
namespace {

std::string TextOf(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

std::string_view ViewOf(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
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
    for (const LogEntry& entry : core.read_) core.read_heads_.push_back(HeadOf(entry, core.held_));
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

  static wharf_raft_entry HeadOf(const LogEntry& entry, HeldPayloads& held) {
    const bool has_payload = entry.kind == EntryKind::kBatch && !entry.data.empty();
    return {entry.index,
            entry.term,
            static_cast<std::uint8_t>(entry.kind),
            has_payload ? held.Hold(entry.data) : 0,
            has_payload ? nullptr : entry.data.data(),
            entry.data.size()};
  }
};

// What is ready, as the core hands it over.
class RaftCore::Sink {
 public:
  explicit Sink(RaftCore& core) : core_(core) {}

  wharf_raft_sink Calls() {
    return {this, TakeSnapshot, TakeEntry, TakeMember, TakeMessage, TakeReadable};
  }

  RaftReady ready{};

 private:
  static Sink& Of(void* self) { return *static_cast<Sink*>(self); }

  static void TakeSnapshot(void* self, std::uint64_t index, std::uint64_t term, const void* members,
                           std::size_t members_size, const void* data, std::size_t size) {
    Of(self).ready.snapshot = {index, term, TextOf(members, members_size), TextOf(data, size)};
  }

  static void TakeEntry(void* self, const wharf_raft_entry* entry) {
    Of(self).ready.entries.push_back(
        {entry->index, entry->term, static_cast<EntryKind>(entry->kind),
         entry->payload != 0 ? Of(self).Payload(entry->payload)
                             : SharedBytes(TextOf(entry->data, entry->size))});
  }

  static void TakeMember(void* self, std::uint64_t index, std::uint64_t term, const void* data,
                         std::size_t size) {
    Of(self).ready.member_changes.push_back({index, term, EntryKind::kMember, TextOf(data, size)});
  }

  static void TakeMessage(void* self, std::uint64_t to, std::uint8_t kind, const void* data,
                          std::size_t size, const std::uint64_t* payloads, std::size_t count) {
    CoreMessage message{ViewOf(data, size), {}};
    for (std::size_t i = 0; i < count; ++i) {
      message.payloads.push_back(Of(self).Payload(payloads[i]));
    }
    Of(self).ready.messages.push_back(
        {to, static_cast<MessageClass>(kind), EncodeCoreMessage(message)});
  }

  static void TakeReadable(void* self, std::uint64_t index, const void* context, std::size_t size) {
    Of(self).ready.readable.push_back({index, TextOf(context, size)});
  }

  const SharedBytes& Payload(std::uint64_t number) const {
    const SharedBytes* const payload = core_.held_.Find(number);
    if (payload == nullptr) Host::Fail(&core_, kNoPayload.data(), kNoPayload.size());
    return *payload;
  }

  static constexpr std::string_view kNoPayload = "it asks for a payload that is gone";

  RaftCore& core_;
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
        config.inflight_messages_max = options.inflight_messages_max;
        config.forwards_proposals = kMutant == Mutant::kForwarding ? 1 : 0;
        return calls_.wharf_raft_new(&config, &host);
      }()) {}

RaftCore::~RaftCore() { calls_.wharf_raft_free(core_); }

void RaftCore::Tick() { calls_.wharf_raft_tick(core_); }

bool RaftCore::Step(RaftId from, const SharedBytes& message) {
  std::optional<CoreMessage> decoded = DecodeCoreMessage(message);
  if (!decoded) return false;
  const std::uint64_t first = held_.next();
  std::vector<std::uint32_t> sizes;
  for (SharedBytes& payload : decoded->payloads) {
    sizes.push_back(static_cast<std::uint32_t>(payload.size()));
    held_.Hold(std::move(payload));
  }
  const std::string_view words = decoded->words;
  const bool is_taken = calls_.wharf_raft_step(core_, from, words.data(), words.size(), first,
                                               sizes.data(), sizes.size()) != 0;
  if (!is_taken) held_.DropFrom(first);
  return is_taken;
}

bool RaftCore::Propose(SharedBytes data) {
  const std::size_t size = data.size();
  const std::uint64_t number = held_.Hold(std::move(data));
  const bool is_taken = calls_.wharf_raft_propose(core_, number, size) != 0;
  if (!is_taken) held_.DropFrom(number);
  return is_taken;
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
  const std::uint64_t begin = held_.next();
  Sink sink(*this);
  wharf_raft_ready_head head{};
  const wharf_raft_sink calls = sink.Calls();
  calls_.wharf_raft_ready(core_, &head, &calls);
  held_.OnReady(begin);
  RaftReady ready = std::move(sink.ready);
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
