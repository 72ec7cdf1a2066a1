#include "tests/replication/simulation/history.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace wharf {
namespace {

std::string Node(RaftId node) { return "node " + std::to_string(node); }

}  // namespace

void History::Violation(std::string sentence) {
  if (violations_.size() < 5) violations_.push_back(std::move(sentence));
}

void History::OnLeading(RaftId node, std::uint64_t term) {
  const auto [leader, is_first] = leaders_.try_emplace(term, node);
  if (leader->second != node) {
    Violation(Node(node) + " leads in term " + std::to_string(term) + ", and so did " +
              Node(leader->second));
  }
}

void History::OnCommitted(RaftId node, const LogEntry& entry) {
  const std::pair what(entry.term, std::hash<std::string_view>()(entry.data));
  const auto [known, is_first] = entries_.try_emplace(entry.index, what);
  if (known->second != what) {
    Violation(Node(node) + " has another entry " + std::to_string(entry.index) +
              " than was committed before");
  }
}

void History::OnState(RaftId node, std::uint64_t index, std::uint64_t hash) {
  const auto [known, is_first] = states_.try_emplace(index, hash);
  if (known->second != hash) {
    Violation(Node(node) + " has another state at entry " + std::to_string(index) +
              " than others had");
  }
}

void History::OnRow(const std::string& batch) {
  applied_.insert(batch);
  if (not_done_.count(batch) != 0) Violation(batch + " took effect and was not done");
}

void History::OnTwice(RaftId node, const std::string& batch) {
  Violation(Node(node) + " applied " + batch + " twice");
}

void History::OnAnswer(const std::string& batch, const Result<CommitIndex>& answer) {
  if (answer.ok()) {
    const auto [known, is_first] = places_.try_emplace(*answer, batch);
    if (!is_first) {
      Violation(batch + " and " + known->second + " are both batch " +
                std::to_string(answer->value()));
    }
    acknowledged_ = std::max(acknowledged_, *answer);
  } else if (answer.status().outcome() == Outcome::kNotDone) {
    not_done_.insert(batch);
    if (applied_.count(batch) != 0) Violation(batch + " was not done, and has taken effect");
  } else {
    ++unknown_;
  }
}

void History::OnLook(RaftId node, CommitIndex asked_at, const Result<CommitIndex>& answer) {
  if (!answer.ok()) return;
  ++looks_;
  if (*answer < asked_at) {
    Violation(Node(node) + " answered a look at batch " + std::to_string(answer->value()) +
              " when " + std::to_string(asked_at.value()) + " was acknowledged");
  }
}

void History::OnEnd(RaftId node, const std::set<std::string>& rows) {
  for (const auto& [place, batch] : places_) {
    if (rows.count(batch) == 0) Violation(Node(node) + " has lost " + batch);
  }
}

}  // namespace wharf
