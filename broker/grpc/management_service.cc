#include "broker/grpc/management_service.h"

#include <google/protobuf/empty.pb.h>

#include "broker/grpc/call.h"
#include "broker/grpc/convert.h"

namespace wharf {
namespace {

constexpr std::uint32_t kPageDefault = 100;
constexpr std::uint32_t kPageMax = 1000;

// Answers a call with the properties of a queue.
template <typename Call>
Answer<QueueSnapshot> WithProperties(Call& call) {
  return [&call](Result<QueueSnapshot> snapshot) {
    if (!snapshot.ok()) return call.Fail(snapshot.status());
    ToProto(snapshot->record, &call.response());
    call.Succeed();
  };
}

}  // namespace

grpc::ServerUnaryReactor* ManagementService::CreateQueue(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CreateQueueRequest, v1::QueueProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().queue().name();
    Result<QueueDescription> description = FromProto(call.request().queue());
    if (!description.ok()) return call.Fail(description.status());
    broker_.CreateQueue(*std::move(description), WithProperties(call));
  });
}

grpc::ServerUnaryReactor* ManagementService::UpdateQueue(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::UpdateQueueRequest, v1::QueueProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().queue().name();
    Result<QueueDescription> description = FromProto(call.request().queue());
    if (!description.ok()) return call.Fail(description.status());
    broker_.UpdateQueue(*std::move(description), WithProperties(call));
  });
}

grpc::ServerUnaryReactor* ManagementService::GetQueue(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetQueueRequest, v1::QueueProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().name();
    broker_.GetQueue(call.request().name(), WithProperties(call));
  });
}

// A page token is the folded name of the last queue of the page before.
grpc::ServerUnaryReactor* ManagementService::ListQueues(grpc::CallbackServerContext* context,
                                                        const grpc::ByteBuffer* request,
                                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListQueuesRequest, v1::ListQueuesResponse>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    const std::uint32_t asked = call.request().page_size();
    const std::uint32_t count = asked == 0 ? kPageDefault : std::min(asked, kPageMax);
    broker_.ListQueues(call.request().page_token(), count, [&call](Result<QueuePage> page) {
      if (!page.ok()) return call.Fail(page.status());
      for (const QueueSnapshot& snapshot : page->queues) {
        ToProto(snapshot.record, call.response().add_queues());
        ToProto(snapshot, call.response().add_runtime());
      }
      if (page->has_more) {
        call.response().set_next_page_token(FoldPath(page->queues.back().record.description.name));
      }
      call.Succeed();
    });
  });
}

grpc::ServerUnaryReactor* ManagementService::DeleteQueue(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::DeleteQueueRequest, google::protobuf::Empty>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().name();
    broker_.DeleteQueue(call.request().name(), [&call](const Result<std::monostate>& deleted) {
      if (!deleted.ok()) return call.Fail(deleted.status());
      call.Succeed();
    });
  });
}

grpc::ServerUnaryReactor* ManagementService::GetQueueRuntimeProperties(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetQueueRuntimePropertiesRequest, v1::QueueRuntimeProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().name();
    broker_.GetQueue(call.request().name(), [&call](Result<QueueSnapshot> snapshot) {
      if (!snapshot.ok()) return call.Fail(snapshot.status());
      ToProto(*snapshot, &call.response());
      call.Succeed();
    });
  });
}

grpc::ServerUnaryReactor* ManagementService::GetBrokerStatistics(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetBrokerStatisticsRequest, v1::BrokerStatistics>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    ToProto(statistics_(), &call.response());
    call.Succeed();
  });
}

}  // namespace wharf
