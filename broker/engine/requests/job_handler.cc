#include "broker/engine/requests/job_handler.h"

#include <utility>

#include "broker/engine/requests/reply.h"

namespace wharf {

void JobHandler::Plan(Asked<BeginJobRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer),
        jobs_.Begin(std::move(asked.request.order), turn, asked.asker));
}

void JobHandler::Plan(Asked<GetJobRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer), jobs_.Get(asked.request.id, asked.asker));
}

void JobHandler::Plan(Asked<ListJobsRequest> asked, Turn& turn) {
  const ListJobsRequest& request = asked.request;
  Reply(turn, std::move(asked.answer),
        Result<std::vector<JobRecord>>(jobs_.List(request.after, request.count_max, asked.asker)));
}

void JobHandler::Plan(Asked<CancelJobRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer), jobs_.Cancel(asked.request.id, turn, asked.asker));
}

void JobHandler::Plan(Asked<AwaitDueRequest> asked, Turn&) {
  agenda_.AwaitDue([this, answer = std::move(asked.answer)](Turn& turn) mutable {
    Status closed = open_.Check();
    turn.keeps_time = closed.ok();
    Reply(turn, std::move(answer), closed.ok() ? turn.now : Result<Timestamp>(std::move(closed)));
  });
}

}  // namespace wharf
