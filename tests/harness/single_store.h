// SingleStore: how tests open the data folder of a broker by itself: its state has all of its log.
//
// The log is to be given to a SegmentCommitLog, or dropped.
#pragma once

#include "broker/schema/change_encoder.h"
#include "broker/schema/tables.h"
#include "storage/apply/catch_up.h"
#include "storage/base/random.h"
#include "storage/log/single_folder.h"

namespace wharf {

// `random` outlives the log. Of the options, the position is set here.
inline Result<SingleFolder> OpenSingleStore(RocksStoreOptions options, Random& random) {
  options.position = BrokerStatePosition();
  Result<SingleFolder> folder = SingleFolder::Open(std::move(options), BrokerAppliedIndex(), random,
                                                   [](RocksStore&) { return EncodeFormat(); });
  if (!folder.ok()) return folder;
  const auto caught_up =
      CatchUp(*folder->store, *folder->log, BrokerStatePosition(), BrokerAppliedIndex());
  if (!caught_up.ok()) return caught_up.status();
  return folder;
}

// Of a broker that does not run, to look at it, or to change it beside its log.
inline Result<std::unique_ptr<RocksStore>> OpenDataFolder(const std::string& path) {
  SystemRandom random;
  Result<SingleFolder> folder = OpenSingleStore({.path = path, .tables = BrokerTables()}, random);
  if (!folder.ok()) return folder.status();
  return std::move(folder->store);
}

}  // namespace wharf
