// Purges and jobs.

#include <utility>

#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/management_service.h"

namespace wharf {
namespace {

// Answers a call with a job.
template <typename Call>
Answer<JobRecord> WithJob(Call& call) {
  return [&call](const Result<JobRecord>& job) {
    if (!job.ok()) return call.Fail(job.status());
    ToProto(*job, &call.response());
    call.Succeed();
  };
}

}  // namespace

UnaryReactor* ManagementService::Purge(grpc::CallbackServerContext* context,
                                       grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::PurgeRequest, v1::PurgeResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        PurgeRequest{call.entity(), call.request().include_scheduled()},
                        [&call](const Result<std::int64_t>& purged) {
                          if (!purged.ok()) return call.Fail(purged.status());
                          call.response().set_purged_count(*purged);
                          call.Succeed();
                        });
  });
}

UnaryReactor* ManagementService::StartRedrive(grpc::CallbackServerContext* context,
                                              grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::StartRedriveRequest, v1::Job>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<JobOrder> order = FromProto(call.request());
    if (!order.ok()) return call.Fail(order.status());
    call.requests().Ask(call.caller(), BeginJobRequest{*std::move(order)}, WithJob(call));
  });
}

UnaryReactor* ManagementService::StartDeleteMessages(grpc::CallbackServerContext* context,
                                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::StartDeleteMessagesRequest, v1::Job>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<JobOrder> order = FromProto(call.request());
    if (!order.ok()) return call.Fail(order.status());
    call.requests().Ask(call.caller(), BeginJobRequest{*std::move(order)}, WithJob(call));
  });
}

UnaryReactor* ManagementService::GetJob(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetJobRequest, v1::Job>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Result<JobId> id = JobIdFromProto(call.request().id());
    if (!id.ok()) return call.Fail(id.status());
    call.requests().Ask(call.caller(), GetJobRequest{*id}, WithJob(call));
  });
}

UnaryReactor* ManagementService::ListJobs(grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListJobsRequest, v1::ListJobsResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Result<std::uint32_t> count = PageSizeFromProto(call.request().page_size());
    if (!count.ok()) return call.Fail(count.status());
    const Result<JobId> after = JobIdFromPageToken(call.request().page_token());
    if (!after.ok()) return call.Fail(after.status());
    // One more tells whether there is another page.
    call.requests().Ask(call.caller(), ListJobsRequest{*after, *count + 1},
                        [&call, count = *count](Result<std::vector<JobRecord>> jobs) {
                          if (!jobs.ok()) return call.Fail(jobs.status());
                          const bool has_more = jobs->size() > count;
                          if (has_more) jobs->pop_back();
                          for (const JobRecord& job : *jobs)
                            ToProto(job, call.response().add_jobs());
                          if (has_more)
                            call.response().set_next_page_token(PageTokenOf(jobs->back().id));
                          call.Succeed();
                        });
  });
}

UnaryReactor* ManagementService::CancelJob(grpc::CallbackServerContext* context,
                                           grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CancelJobRequest, v1::Job>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Result<JobId> id = JobIdFromProto(call.request().id());
    if (!id.ok()) return call.Fail(id.status());
    call.requests().Ask(call.caller(), CancelJobRequest{*id}, WithJob(call));
  });
}

}  // namespace wharf
