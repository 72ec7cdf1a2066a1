#include "broker/requests/one_more_loss.h"

#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace wharf {
namespace {

struct Votes {
  std::size_t all = 0;
  std::size_t reachable = 0;

  std::size_t majority() const { return all / 2 + 1; }
  bool has_majority() const { return reachable >= majority(); }
  std::size_t spare() const { return has_majority() ? reachable - majority() : 0; }
};

Votes VotesOf(const ClusterStatus& status) {
  Votes votes;
  for (const ClusterMember& member : status.members) {
    if (!member.is_voter) continue;
    ++votes.all;
    if (member.is_reachable) ++votes.reachable;
  }
  return votes;
}

std::string NodesText(std::size_t count) {
  return fmt::format("{} node{}", count, count == 1 ? "" : "s");
}

// Who counts later, or does not now.
std::string Names(const ClusterStatus& status, bool (*is_meant)(const ClusterMember&)) {
  std::vector<std::string> names;
  for (const ClusterMember& member : status.members) {
    if (is_meant(member)) names.push_back(member.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Behind the sentence: what would make it better.
std::string Hints(const ClusterStatus& status) {
  const std::string lost = Names(
      status, [](const ClusterMember& member) { return member.is_voter && !member.is_reachable; });
  const std::string learning =
      Names(status, [](const ClusterMember& member) { return !member.is_voter; });
  std::string hints;
  if (!lost.empty()) hints += fmt::format(" Not reached: {}.", lost);
  if (!learning.empty())
    hints += fmt::format(" Not counted before it has caught up: {}.", learning);
  return hints;
}

// One that is even asks for as many as the next odd number.
std::string Advice(const Votes& votes) {
  if (votes.all % 2 != 0) return "";
  return fmt::format("; {} voters survive no more than {} would, add another", votes.all,
                     votes.all - 1);
}

}  // namespace

// Who does not lead hears of few others, and knows of a majority only by its leader.
std::string OneMoreLoss(const ClusterStatus& status) {
  const Votes votes = VotesOf(status);
  if (status.cluster_id.empty()) {
    return "This node belongs to no cluster: what it keeps would be lost with it.";
  }
  if (status.leader.empty()) {
    return fmt::format(
        "Nobody leads: nothing is acknowledged until {} of {} voters reach each other.",
        votes.majority(), votes.all);
  }
  if (status.leader != status.node_name) {
    return fmt::format("Ask {}, which leads, what the loss of one more node would mean.",
                       status.leader);
  }
  if (votes.all == 1) {
    return "If this node died, everything would be lost that its disk loses: no other one votes." +
           Hints(status);
  }
  if (!votes.has_majority()) {
    return fmt::format("Nothing is acknowledged: {} of {} voters can be reached, and {} must be.{}",
                       votes.reachable, votes.all, votes.majority(), Hints(status));
  }
  if (votes.spare() == 0) {
    return fmt::format(
        "If one more node died, nothing acknowledged would be lost, but nothing more would be "
        "acknowledged until it was back{}.{}",
        Advice(votes), Hints(status));
  }
  return fmt::format(
      "If one more node died, nothing would be lost and the cluster would go on; it can lose "
      "{} at once{}.{}",
      NodesText(votes.spare()), Advice(votes), Hints(status));
}

std::optional<std::size_t> FailuresSurvived(const ClusterStatus& status) {
  const bool knows = !status.leader.empty() && status.leader == status.node_name;
  return knows ? std::optional(VotesOf(status).spare()) : std::nullopt;
}

}  // namespace wharf
