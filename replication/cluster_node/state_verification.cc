// What a ClusterNode does so that states which are not the same are found: the seam between it and
// its StateVerifier.

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/cluster_node/cluster_node.h"
#include "storage/apply/entry.h"
#include "storage/base/clock.h"

namespace wharf {

void ClusterNode::MakeVerifier(const NodeIdentity& identity) {
  verifier_ = std::make_unique<StateVerifier>(
      options_.verify,
      StateVerifier::World{.store = world_.store,
                           .tables = world_.store.tables(),
                           .left_out = world_.left_out,
                           .self = identity.node.value(),
                           .leader = [this] { return leader_.load(); },
                           .send =
                               [this](RaftId to, NodeMessageKind kind, std::string content) {
                                 const bool is_verdict = kind == NodeMessageKind::kStateVerdict;
                                 SendToPeer(to, is_verdict ? Traffic::kSmall : Traffic::kBulk, kind,
                                            std::move(content));
                               },
                           .step_soon = [this] { StepVerifier(); },
                           .hand_over = [this] { HandOver(); },
                           .give_up = [this](const std::string& why) { GiveStateUp(why); },
                           .random = member_random_});
}

StateVerifier::Turn ClusterNode::TurnOf(RaftNode& node) const {
  return {.is_leading = node.is_leading() && leading_ != nullptr,
          .may_check = book().level >= kChecksFormatLevel,
          .now = SteadyNow(),
          .propose = [this, &node](const std::string& check) { return ProposeCheck(node, check); }};
}

// It stands between batches as any of them, and is none.
bool ClusterNode::ProposeCheck(RaftNode& node, const std::string& check) const {
  std::string entry = EncodeEntry(
      {.term = node.term(), .time = leading_->Now(), .batches = 0, .is_check = true}, check);
  return entry.size() <= node.room() && node.Propose(std::move(entry));
}

// Whoever is not reached now would only be waited for.
std::vector<StateComparison::Member> ClusterNode::MembersToCompare() const {
  std::vector<StateComparison::Member> members;
  for (const MemberReport& member : MembersIn(book())) {
    const bool is_reached =
        member.record.node == id() || (member.peer && member.peer->is_connected);
    members.push_back({.node = member.record.node,
                       .name = member.record.name,
                       .trouble = is_reached ? std::string() : "it is not reached"});
  }
  std::sort(members.begin(), members.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return members;
}

void ClusterNode::StepVerifier() {
  RaftThread* const raft = raft_;
  if (raft == nullptr) return;
  // Where too much waits the next look does it.
  raft->Do([this](RaftNode& node) { verifier_->Step(TurnOf(node)); });
}

// As if it had been found damaged when it was opened: the next opening takes another member's.
void ClusterNode::GiveStateUp(const std::string& why) {
  if (!folder_.has_others(options_.name)) return;
  if (const Status marked = state_folder_.MarkDamaged(); !marked.ok()) return OnFailed(marked);
  spdlog::error("{}: this node opens its folder anew without it", why);
  world_.reopen();
}

void ClusterNode::CompareStates(Comparing what, std::function<void(Result<StateReport>)> done) {
  const auto refuse = [done](const Status& status) { done(status); };
  AsLeader(refuse, [this, what, done](RaftNode& /*node*/, Done /*refuse*/) {
    if (const std::uint64_t level = book().level; level < kChecksFormatLevel) {
      return done(
          Status(ErrorCode::kInvalidOperation,
                 fmt::format("the cluster writes level {} of the format, in which states cannot be "
                             "compared: it is raised when all members can read level {}",
                             level, kChecksFormatLevel)));
    }
    if (what == Comparing::kBegin) verifier_->Begin();
    const std::optional<StateComparison::Progress> progress = verifier_->progress();
    StateReport report;
    if (!progress) {
      report.sentence = "no states were compared since this node leads";
      return done(std::move(report));
    }
    report.progress = *progress;
    report.sentence = progress->trouble;
    if (progress->difference) {
      report.table = world_.store.tables()[progress->difference->row.table].name;
      report.sentence = verifier_->SentenceOf(*progress);
    }
    done(std::move(report));
  });
}

}  // namespace wharf
