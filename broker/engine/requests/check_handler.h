// CheckHandler: plans what is asked about whether an entity agrees with itself.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include "broker/engine/entities/recounts.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/check_requests.h"

namespace wharf {

class CheckHandler {
 public:
  CheckHandler(const WorkerContext& context, Recounts& recounts)
      : context_(context), recounts_(recounts) {}

  void Plan(Asked<CheckEntityRequest> asked, Turn& turn);

 private:
  // Also one that is fenced.
  Result<Queue*> Find(const std::string& path) const;

  const WorkerContext context_;
  Recounts& recounts_;
};

}  // namespace wharf
