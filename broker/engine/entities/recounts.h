// Recounts: holds an entity's counters against its rows, and mends what does not agree.
//
// A check reads all rows at one view, a page at a time, so that it is right while others go on. A
// repair that finds a difference, or an entity that is fenced, fences it first; then nobody else
// writes its rows, and each page is mended with a commit of its own. The last one writes the
// counters; what is in the store then is loaded as at a start, and the fence goes. If the broker
// ends in the midst of it the fence is still there. Owned by the Shard, used on its thread.
#pragma once

#include <memory>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "broker/core/operations/recount_report.h"
#include "broker/engine/entities/fences.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/readers.h"
#include "broker/reading/recount/recount.h"
#include "broker/requests/answer.h"

namespace wharf {

class Recounts {
 public:
  // Under way together: each keeps a view of the store alive, or an entity from its users.
  static constexpr std::size_t kUnderWayMax = 4;

  Recounts(const WorkerContext& context, Fences& fences, const Readers& readers)
      : context_(context), fences_(fences), readers_(readers) {}

  // ServiceBusy if the entity is being recounted already, or as many others as may be.
  void Begin(const Queue& queue, bool repairs, Answer<RecountReport> answer, Turn& turn);

 private:
  struct Run;
  using RunPtr = std::shared_ptr<Run>;

  void Compare(RunPtr run, Turn& turn);
  void TakeCompared(RunPtr run, const Result<bool>& is_done, Turn& turn);
  void Mend(RunPtr run, Turn& turn);
  void TakeMended(RunPtr run, const Result<bool>& is_done, std::vector<RowsMended> mends,
                  Turn& turn);
  void Load(RunPtr run, Turn& turn);
  void TakeLoaded(RunPtr run, Result<Queue::Image> image, Turn& turn);
  // Null if it ended: the shard is closed, the entity gone, or a row cannot be read.
  Queue* GoOn(Run& run, const Status& read, Turn& turn);
  void End(Run& run, Result<RecountReport> result, Turn& turn);

  const WorkerContext context_;
  Fences& fences_;
  const Readers& readers_;
  absl::flat_hash_set<EntityId> under_way_;
};

}  // namespace wharf
