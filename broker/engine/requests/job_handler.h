// JobHandler: plans what is asked of jobs, and who waits for what is due.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include "broker/engine/requests/asked.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/job_requests.h"

namespace wharf {

class Shard;

class JobHandler {
 public:
  explicit JobHandler(Shard& shard) : shard_(shard) {}

  void Plan(Asked<BeginJobRequest> asked, Turn& turn);
  void Plan(Asked<GetJobRequest> asked, Turn& turn);
  void Plan(Asked<ListJobsRequest> asked, Turn& turn);
  void Plan(Asked<CancelJobRequest> asked, Turn& turn);
  void Plan(Asked<AwaitDueRequest> asked, Turn& turn);

 private:
  Shard& shard_;
};

}  // namespace wharf
