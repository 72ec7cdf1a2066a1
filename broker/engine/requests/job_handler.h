// JobHandler: plans what is asked of jobs, and of calls that wait for what is due.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include "broker/engine/background/job_runner.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/turn/agenda.h"
#include "broker/engine/turn/open_state.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/job_requests.h"

namespace wharf {

class JobHandler {
 public:
  JobHandler(const OpenState& open, JobRunner& jobs, Agenda& agenda)
      : open_(open), jobs_(jobs), agenda_(agenda) {}

  void Plan(Asked<BeginJobRequest> asked, Turn& turn);
  void Plan(Asked<GetJobRequest> asked, Turn& turn);
  void Plan(Asked<ListJobsRequest> asked, Turn& turn);
  void Plan(Asked<CancelJobRequest> asked, Turn& turn);
  void Plan(Asked<AwaitDueRequest> asked, Turn& turn);

 private:
  const OpenState& open_;
  JobRunner& jobs_;
  Agenda& agenda_;
};

}  // namespace wharf
