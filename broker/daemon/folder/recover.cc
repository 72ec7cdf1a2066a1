#include "broker/daemon/folder/recover.h"

#include <memory>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "broker/daemon/cluster/node_format.h"
#include "broker/daemon/cluster/node_settings.h"
#include "broker/schema/garbage.h"
#include "broker/schema/tables.h"
#include "replication/cluster_node/recovery.h"

namespace wharf {
namespace {

int Refuse(const Status& why) {
  fmt::print(stderr, "wharfd recover: {}\n", why.message());
  return 1;
}

int SayHowFar(const Recovery& recovery, const config::Settings& settings) {
  const Result<Recovery::Survivor> survivor = recovery.Look();
  if (!survivor.ok()) return Refuse(survivor.status());
  fmt::print(
      "{}, of members {}\n"
      "its log ends at entry {} of term {}\n"
      "What others acknowledged behind that entry would be lost, and none of them could come back "
      "but with an empty folder. Ask each node that is left, and take the one with the highest "
      "term, and of those the highest entry:\n"
      "  wharfd recover --data {} --node {} --accept-loss\n",
      survivor->identity.ToText(), fmt::join(survivor->members, ", "), survivor->log_end.index,
      survivor->log_end.term, settings.data, settings.node);
  return 1;
}

}  // namespace

int RunRecover(const config::Settings& settings, bool accepts_loss) {
  if (!settings.has_node()) {
    return Refuse({ErrorCode::kArgumentError, "node must say the name of the node that is left"});
  }
  const Result<std::unique_ptr<RaftLibrary>> library = RaftLibrary::Open(RaftLibraryPath());
  if (!library.ok()) return Refuse(library.status());
  SystemRandom random;
  ViewLedger views;
  Garbage garbage(views);
  const Recovery recovery(Recovery::World{.data = settings.data,
                                          .name = settings.node,
                                          .library = **library,
                                          .store = {.path = settings.data,
                                                    .tables = BrokerTables(garbage),
                                                    .position = BrokerStatePosition()},
                                          .index = BrokerAppliedIndex(),
                                          .random = random,
                                          .format = FormatOfLevel});
  if (!accepts_loss) return SayHowFar(recovery, settings);
  const Result<ClusterId> cluster = recovery.Recover();
  if (!cluster.ok()) return Refuse(cluster.status());
  fmt::print(
      "founded cluster {} with {} as its only node: start it as before, then add others, each with "
      "an empty folder\n",
      cluster->ToText(), settings.node);
  return 0;
}

}  // namespace wharf
