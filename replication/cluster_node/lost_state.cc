// What a ClusterNode does whose state is lost: it asks the others for theirs, and takes no part.

#include <optional>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "replication/cluster_node/cluster_node.h"
#include "replication/node_message.h"

namespace wharf {

// What its log says counts, and is told to nobody meanwhile: neither a vote nor an entry is.
Status ClusterNode::AwaitState(const NodeIdentity& identity) {
  WHARF_RETURN_IF_ERROR(OpenLog(identity));
  const Result<std::string> members = folder_.Members();
  if (!members.ok()) return members.status();
  Result<MemberBook> book = MemberBook::Decode(*members);
  if (!book.ok()) return book.status();
  WHARF_RETURN_IF_ERROR(CheckLevel(*book));
  peers_.BeNode(identity, book->level);
  WHARF_RETURN_IF_ERROR(Keep(identity, *std::move(book)));
  search_.emplace(member_random_.Next());
  needs_from_ = log_->start().index;
  awaits_state_ = true;
  spdlog::warn("{}: {}", identity.ToText(), trouble());
  return {};
}

// Some may not be so far, or be without a state themselves.
void ClusterNode::AskForState() {
  if (snapshots_->progress().receiving) return;
  std::vector<NodeId> reached;
  for (const PeerStatus& peer : peers_.statuses()) {
    if (peer.is_connected && peer.member.node.value() != id()) reached.push_back(peer.member.node);
  }
  const std::optional<NodeId> asked = search_->Next(reached, SteadyNow());
  if (!asked) return;
  SendToPeer(asked->value(), Traffic::kSmall, NodeMessageKind::kSnapshotWanted,
             std::to_string(needs_from_));
}

void ClusterNode::TakeWhileAwaiting(RaftId from, NodeMessage said) {
  if (search_->has_ended()) return;
  if (said.kind == NodeMessageKind::kSnapshotWanted) {
    return SendToPeer(from, Traffic::kSmall, NodeMessageKind::kSnapshotNotice,
                      SnapshotNotice{.kind = SnapshotNotice::Kind::kNone}.Encode());
  }
  const bool is_notice = said.kind == NodeMessageKind::kSnapshotNotice;
  if (!is_notice && said.kind != NodeMessageKind::kSnapshotAnswer) return;
  const auto notice = is_notice ? SnapshotNotice::Decode(said.content) : std::nullopt;
  if (notice) search_->Note(notice->kind, SteadyNow());
  snapshots_->OnMessage(from, said.kind, std::move(said.content));
}

// Where the log has that entry it goes on behind it, with all that this node has acknowledged
// since. Else what is in the log is in the state, or came to nothing, and the log begins anew
// there: the next start does the rest, as for any snapshot.
Status ClusterNode::TakeState(const StatePosition& position) {
  const Result<MemberBook> book = MemberBook::Decode(position.members);
  if (!book.ok()) return book.status();
  if (book->Find(id().value_or(0)) == nullptr) {
    return {ErrorCode::kInvalidOperation, "this node is no member as of there"};
  }
  const LogPlace place{position.index, position.term};
  if (place.index < log_->start().index) {
    return {ErrorCode::kInvalidOperation, "the log of this node does not reach back so far"};
  }
  const bool goes_on = place.index <= log_->last_index() && log_->TermOf(place.index) == place.term;
  if (goes_on) {
    WHARF_RETURN_IF_ERROR(state_folder_.Replace(place));
  } else {
    HardState next = log_->hard_state();
    if (next.term < place.term) next = {.term = place.term};
    next.commit = place.index;
    WHARF_RETURN_IF_ERROR(state_folder_.Keep(place));
    // What a log that failed says of itself need not be on its disk: the next start looks there.
    if (const Status begun = log_->BeginAt(place, next); !begun.ok()) {
      search_->End();
      OnFailed(begun);
      return begun;
    }
  }
  search_->End();
  spdlog::info(
      "the state as of entry {} takes the place of the one that is lost: the node opens "
      "anew",
      place.index);
  return {};
}

// Who votes it cannot tell, nor what is committed.
NodeReport ClusterNode::ReportWithoutState() const {
  return {.name = options_.name,
          .identity = identity(),
          .log = log_->stats(),
          .members = MembersIn(book()),
          .snapshots = snapshots_->progress(),
          .refused = peers_.last_refused(),
          .trouble = trouble(),
          .lacks_state = true};
}

}  // namespace wharf
