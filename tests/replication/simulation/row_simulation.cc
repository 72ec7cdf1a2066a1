#include "tests/replication/simulation/row_simulation.h"

#include <set>
#include <utility>

namespace wharf {
namespace {

constexpr SimCluster::Time kFaultyTime = 3000;
constexpr SimCluster::Time kCalmTime = 1000;
constexpr SimCluster::Time kSettleTime = 200;

}  // namespace

RowSimulation::RowSimulation(std::uint64_t seed, RaftId nodes)
    : cluster_({.seed = seed,
                .nodes = nodes,
                .on_row = [this](RaftId node, const std::string& key, bool was_there) {
                  OnRow(node, key, was_there);
                }}) {}

void RowSimulation::Run() {
  cluster_.Start();
  cluster_.Every(1, 5, [this] { Client(); });
  cluster_.BeginFaults();
  cluster_.RunFor(kFaultyTime);
  cluster_.Calm();
  cluster_.RunFor(kCalmTime);
  has_clients_ = false;
  cluster_.RunFor(kSettleTime);
  CheckEnd();
}

void RowSimulation::OnRow(RaftId node, const std::string& key, bool was_there) {
  if (was_there) cluster_.history().OnTwice(node, key);
  cluster_.history().OnRow(key);
}

void RowSimulation::Client() {
  if (!has_clients_) return;
  SimNode& node = cluster_.Asked();
  const std::string name = "batch " + std::to_string(++batches_);
  const std::uint64_t what = cluster_.Chance(100);
  if (node.leading() == nullptr) return;
  if (node.id() == cluster_.apart()) {
    Look(node);
  } else if (what < 60) {
    Append(node, name, 1 + cluster_.Chance(60));
  } else if (what < 65) {
    Append(node, name, 200 + cluster_.Chance(400));
  } else if (what < 66 && !cluster_.is_calm()) {
    AppendBad(node, name);
  } else {
    Look(node);
  }
}

void RowSimulation::Append(SimNode& node, const std::string& name, std::size_t bytes) {
  WriteBatch batch;
  batch.Put(0, name, std::string(bytes, 'x'));
  node.leading()->log.Append(std::move(batch),
                             [this, &node, name](const Result<CommitIndex>& answer) {
                               cluster_.history().OnAnswer(name, answer);
                               if (answer.ok()) View(node, name);
                             });
}

// Now and then: a view has everything written, and most of it is to be written late.
void RowSimulation::View(SimNode& node, const std::string& name) {
  if (cluster_.Chance(4) != 0) return;
  const MemoryTable* const rows = FindTable(node.WholeState().tables, 0);
  if (rows != nullptr && rows->contains(name)) return;
  cluster_.history().Violation("a view does not show " + name + ", which was acknowledged");
}

void RowSimulation::AppendBad(SimNode& node, const std::string& name) {
  WriteBatch batch;
  batch.Put(0, name, "half");
  batch.Put(9, "no table", "");
  node.leading()->log.Append(std::move(batch), [this, name](const Result<CommitIndex>& answer) {
    cluster_.history().OnAnswer(name, answer);
  });
}

void RowSimulation::Look(SimNode& node) {
  node.leading()->log.Confirm(
      [this, id = node.id(), asked_at = cluster_.history().acknowledged()](
          const Result<CommitIndex>& answer) { cluster_.history().OnLook(id, asked_at, answer); });
}

void RowSimulation::CheckEnd() {
  History& history = cluster_.history();
  if (history.acknowledged_batches() == 0) history.Violation("nothing was acknowledged");
  cluster_.CheckEqual();
  for (SimNode* const node : cluster_.members()) {
    std::set<std::string> rows;
    const MemoryTable* const table = FindTable(node->WholeState().tables, 0);
    if (table != nullptr) {
      for (const auto& [name, value] : *table) rows.insert(name);
    }
    history.OnEnd(node->id(), rows);
  }
}

}  // namespace wharf
