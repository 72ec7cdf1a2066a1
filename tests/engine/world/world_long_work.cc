// Transactions, jobs, purges: what takes several messages at a time.

#include <algorithm>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/world/world_run.h"

namespace wharf {

void WorldRun::Purge() {
  const ModelPath path = AnyPath();
  const bool with_scheduled = path.lane == LaneKind::kMain && OneIn(2);
  Ask<std::int64_t>(
      "purge " + path.text(), {path.entity},
      [&](Broker& broker, Answer<std::int64_t> answer) {
        broker.Purge(path.text(), with_scheduled, std::move(answer));
      },
      [=](WorldModel& world, const Result<std::int64_t>* answer) {
        const auto purged = world.Purge(path, with_scheduled);
        if (!Agrees(answer, purged.has_value())) return false;
        return answer == nullptr || !purged || **answer == *purged;
      });
}

void WorldRun::BeginJob() {
  const bool redrives = !OneIn(4);
  ModelPath path{AnyName(KeepsMessages), LaneKind::kDeadLetter};
  if (!redrives) path = AnyPath();
  JobOrder order{.verb = redrives ? JobVerb::kRedrive : JobVerb::kDeleteMessages,
                 .path = path.text()};
  if (redrives && OneIn(2)) order.target = AnyName(TakesMessages);
  if (OneIn(3)) order.selection.dead_letter_reason = "because";
  Ask<JobRecord>(
      fmt::format("{} {} {}", redrives ? "redrive" : "delete messages of", path.text(),
                  order.target),
      {path.entity, order.target},
      [&](Broker& broker, Answer<JobRecord> answer) { broker.BeginJob(order, std::move(answer)); },
      [=](WorldModel& world, const Result<JobRecord>* answer) {
        const bool has_id = answer != nullptr && answer->ok();
        return Agrees(answer, world.BeginJob(order, path, has_id ? (*answer)->id : JobId()));
      });
}

// What it sends to a partitioned entity has one key (TXN-19).
std::shared_ptr<const ModelOperation> WorldRun::AnyOperation() {
  ModelOperation operation;
  if (OneIn(2)) {
    operation.path = {AnyName(TakesMessages), LaneKind::kMain};
    operation.sent.resize(1 + Below(2));
    for (Message& message : operation.sent) {
      message = AnyMessage();
      message.partition_key = "key1";
    }
  } else {
    const Held held = AnyHeld();
    operation.path = held.path;
    operation.token = held.token;
    if (!OneIn(5)) operation.settlement = AnySettlement();
  }
  return std::make_shared<const ModelOperation>(std::move(operation));
}

Operation WorldRun::ToldOf(const ModelOperation& operation) {
  Operation told{.path = operation.path.text(), .what = SendMessages{operation.sent}};
  if (operation.settlement) {
    told.what = SettleMessages{{operation.token}, *operation.settlement};
  } else if (operation.sent.empty()) {
    told.what = RenewLocks{{operation.token}};
  }
  return told;
}

bool WorldRun::AgreesWith(const Result<TransactionRecord>* answer,
                          const std::optional<std::vector<WorldModel::Sent>>& expected) {
  if (!Agrees(answer, expected.has_value())) return false;
  if (answer == nullptr || !expected) return true;
  const std::vector<OperationResult>& results = (*answer)->results;
  if (results.size() != expected->size()) return false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_same = std::equal(results[i].sent.begin(), results[i].sent.end(),
                                    (*expected)[i].begin(), (*expected)[i].end(), Became);
    if (!is_same) return false;
  }
  return true;
}

void WorldRun::RunTransaction() {
  std::vector<std::shared_ptr<const ModelOperation>> operations;
  for (std::uint64_t count = 1 + Below(3); count > 0; --count) operations.push_back(AnyOperation());
  std::vector<Operation> told;
  std::set<std::string> where;
  for (const auto& operation : operations) {
    told.push_back(ToldOf(*operation));
    where.merge(At(operation->path.entity));
  }
  // One that the broker is to draw has another name here.
  const TransactionId id = fmt::format("run{}", ++bodies_);
  const bool has_id = OneIn(2);
  Ask<TransactionRecord>(
      fmt::format("run a transaction of {}", told.size()), where,
      [&](Broker& broker, Answer<TransactionRecord> answer) {
        broker.RunTransaction(has_id ? std::optional(id) : std::nullopt, told, std::move(answer));
      },
      [=](WorldModel& world, const Result<TransactionRecord>* answer) {
        return AgreesWith(answer, world.RunTransaction(id, operations));
      });
}

void WorldRun::BeginTransaction() {
  const TransactionId id = fmt::format("begun{}", ++bodies_);
  Ask<TransactionRecord>(
      "begin " + id, {},
      [&](Broker& broker, Answer<TransactionRecord> answer) {
        broker.BeginTransaction(id, std::move(answer));
      },
      [id](WorldModel& world, const Result<TransactionRecord>* answer) {
        return Agrees(answer, world.BeginTransaction(id));
      },
      [this, id](const Result<TransactionRecord>& answer) {
        if (answer.ok()) transactions_.push_back(id);
      });
}

// One of the last.
TransactionId WorldRun::AnyTransaction() {
  if (transactions_.empty()) return "unknown";
  return transactions_[transactions_.size() - 1 -
                       Below(std::min<std::size_t>(transactions_.size(), 3))];
}

void WorldRun::AddToTransaction() {
  const TransactionId id = AnyTransaction();
  const auto operation = AnyOperation();
  Ask<TransactionRecord>(
      "add to " + id, At(operation->path.entity),
      [&](Broker& broker, Answer<TransactionRecord> answer) {
        broker.AddToTransaction(id, ToldOf(*operation), std::move(answer));
      },
      [=](WorldModel& world, const Result<TransactionRecord>* answer) {
        return Agrees(answer, world.AddToTransaction(id, operation));
      });
}

// Nobody else asks for it meanwhile: one that is being committed takes nothing more, and whether
// it is nobody hears.
void WorldRun::EndTransaction() {
  if (transactions_.empty()) return;
  const TransactionId id = AnyTransaction();
  std::erase(transactions_, id);
  const Heard<TransactionRecord> heard = [this, id](const Result<TransactionRecord>&) {
    transactions_.push_back(id);
  };
  if (OneIn(4)) {
    return Ask<TransactionRecord>(
        "roll back " + id, {},
        [&](Broker& broker, Answer<TransactionRecord> answer) {
          broker.RollBackTransaction(id, std::move(answer));
        },
        [=](WorldModel& world, const Result<TransactionRecord>* answer) {
          return Agrees(answer, world.RollBackTransaction(id));
        },
        heard);
  }
  worlds_.AskedToCommit(id);
  Ask<TransactionRecord>(
      "commit " + id, {Names().begin(), Names().end()},
      [&](Broker& broker, Answer<TransactionRecord> answer) {
        broker.CommitTransaction(id, std::move(answer));
      },
      [=](WorldModel& world, const Result<TransactionRecord>* answer) {
        return AgreesWith(answer, world.CommitTransaction(id));
      },
      heard);
}

}  // namespace wharf
