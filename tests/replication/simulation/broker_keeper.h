// BrokerKeeper: what of a broker's rows is garbage, as every node of a cluster knows it by itself,
// whether it leads or not.
#pragma once

#include <vector>

#include "broker/reading/upkeep.h"
#include "broker/schema/garbage.h"
#include "broker/schema/tables.h"
#include "tests/replication/simulation/sim_keeper.h"

namespace wharf {

class BrokerKeeper final : public SimKeeper {
 public:
  Status Load(const Store& store) override { return garbage_.Load(store); }
  CommitLog::ApplyListener& listener() override { return upkeep_; }
  const TableSet& tables() const override { return tables_; }
  void Refresh() override { garbage_.Refresh(); }

 private:
  // Views of a simulation are copies, from which nothing is dropped: none stands here.
  ViewLedger views_;
  Garbage garbage_{views_};
  const TableSet tables_ = BrokerTables(garbage_);
  Upkeep upkeep_{garbage_, [](const std::vector<TableRange>& /*ranges*/) {}};
};

}  // namespace wharf
