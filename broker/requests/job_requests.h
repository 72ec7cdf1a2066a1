// What is asked about jobs, and about the broker's time.
#pragma once

#include <vector>

#include "broker/core/operations/job.h"

namespace wharf {

struct BeginJobRequest {
  using Response = JobRecord;
  JobOrder order{};
};

struct GetJobRequest {
  using Response = JobRecord;
  JobId id{};
};

// In the order of their ids, behind `after`.
struct ListJobsRequest {
  using Response = std::vector<JobRecord>;
  JobId after{};
  std::size_t count_max = 1;
};

struct CancelJobRequest {
  using Response = JobRecord;
  JobId id{};
};

// Answered when everything that is due by now is planned and committed, with a time that is
// committed, too.
struct AwaitDueRequest {
  using Response = Timestamp;
};

}  // namespace wharf
