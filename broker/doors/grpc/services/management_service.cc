#include "broker/doors/grpc/services/management_service.h"

#include <google/protobuf/empty.pb.h>

#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/entity_update.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/services/call.h"

namespace wharf {
namespace {

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

ManagementService::ManagementService(const Gates& gates)
    : RawService(v1::Management::service_full_name()), gates_(gates) {
  Offer(
      Unary("CreateQueue", &ManagementService::CreateQueue),
      Unary("UpdateQueue", &ManagementService::UpdateQueue),
      Unary("GetQueue", &ManagementService::GetQueue),
      Unary("ListQueues", &ManagementService::ListQueues),
      Unary("DeleteQueue", &ManagementService::DeleteQueue),
      Unary("Purge", &ManagementService::Purge), Unary("ListLocks", &ManagementService::ListLocks),
      Unary("CheckEntity", &ManagementService::CheckEntity),
      Unary("StartRedrive", &ManagementService::StartRedrive),
      Unary("StartDeleteMessages", &ManagementService::StartDeleteMessages),
      Unary("GetJob", &ManagementService::GetJob), Unary("ListJobs", &ManagementService::ListJobs),
      Unary("CancelJob", &ManagementService::CancelJob),
      Unary("GetQueueRuntimeProperties", &ManagementService::GetQueueRuntimeProperties),
      Unary("CreateAccessRule", &ManagementService::CreateAccessRule),
      Unary("GetAccessRule", &ManagementService::GetAccessRule),
      Unary("ListAccessRules", &ManagementService::ListAccessRules),
      Unary("RotateAccessKey", &ManagementService::RotateAccessKey),
      Unary("RemoveAccessRule", &ManagementService::RemoveAccessRule),
      Unary("GetBrokerStatistics", &ManagementService::GetBrokerStatistics),
      Unary("ListEntityNumbers", &ManagementService::ListEntityNumbers),
      Unary("ListConnections", &ManagementService::ListConnections),
      Unary("CloseConnection", &ManagementService::CloseConnection));
}

UnaryReactor* ManagementService::CreateQueue(grpc::CallbackServerContext* context,
                                             grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CreateQueueRequest, v1::QueueProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().queue().name();
    Result<QueueDescription> description = FromProto(call.request().queue());
    if (!description.ok()) return call.Fail(description.status());
    call.requests().Ask(
        call.caller(),
        CreateEntityRequest{EntityKind::kQueue, *std::move(description), std::nullopt},
        WithProperties(call));
  });
}

UnaryReactor* ManagementService::UpdateQueue(grpc::CallbackServerContext* context,
                                             grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::UpdateQueueRequest, v1::QueueProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Status bad = CheckMask<v1::QueueProperties>(call.request());
    if (!bad.ok()) return call.Fail(bad);
    call.requests().Ask(
        call.caller(),
        UpdateEntityRequest{EntityKind::kQueue, call.entity_path,
                            EditOf(call.request().queue(), call.request().update_mask())},
        WithProperties(call));
  });
}

UnaryReactor* ManagementService::GetQueue(grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetQueueRequest, v1::QueueProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(), GetEntityRequest{EntityKind::kQueue, call.entity_path},
                        WithProperties(call));
  });
}

UnaryReactor* ManagementService::ListQueues(grpc::CallbackServerContext* context,
                                            grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListQueuesRequest, v1::ListQueuesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Result<std::uint32_t> count = PageSizeFromProto(call.request().page_size());
    if (!count.ok()) return call.Fail(count.status());
    const Result<std::string> after = NameFromPageToken(call.request().page_token());
    if (!after.ok()) return call.Fail(after.status());
    call.requests().Ask(call.caller(), ListEntitiesRequest{EntityKind::kQueue, *after, *count},
                        [&call](Result<QueuePage> page) {
                          if (!page.ok()) return call.Fail(page.status());
                          for (const QueueSnapshot& snapshot : page->queues) {
                            ToProto(snapshot.record, call.response().add_queues());
                            ToProto(snapshot, call.response().add_runtime());
                          }
                          if (page->has_more) {
                            call.response().set_next_page_token(PageTokenOfName(
                                FoldPath(page->queues.back().record.description.name)));
                          }
                          call.Succeed();
                        });
  });
}

UnaryReactor* ManagementService::DeleteQueue(grpc::CallbackServerContext* context,
                                             grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::DeleteQueueRequest, google::protobuf::Empty>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        DeleteEntityRequest{EntityKind::kQueue, call.entity_path,
                                            CheckOf<v1::QueueProperties>(call.request().etag())},
                        [&call](const Result<std::monostate>& deleted) {
                          if (!deleted.ok()) return call.Fail(deleted.status());
                          call.Succeed();
                        });
  });
}

UnaryReactor* ManagementService::GetQueueRuntimeProperties(grpc::CallbackServerContext* context,
                                                           grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetQueueRuntimePropertiesRequest, v1::QueueRuntimeProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(), GetEntityRequest{EntityKind::kQueue, call.entity_path},
                        [&call](Result<QueueSnapshot> snapshot) {
                          if (!snapshot.ok()) return call.Fail(snapshot.status());
                          ToProto(*snapshot, &call.response());
                          call.Succeed();
                        });
  });
}

UnaryReactor* ManagementService::GetBrokerStatistics(grpc::CallbackServerContext* context,
                                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetBrokerStatisticsRequest, v1::BrokerStatistics>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Status refused = call.requests().Allow(call.caller(), AskStatistics());
    if (!refused.ok()) return call.Fail(refused);
    ToProto(call.broker().statistics(), &call.response());
    call.Succeed();
  });
}

UnaryReactor* ManagementService::ListEntityNumbers(grpc::CallbackServerContext* context,
                                                   grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListEntityNumbersRequest, v1::ListEntityNumbersResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Status refused = call.requests().Allow(call.caller(), AskStatistics());
    if (!refused.ok()) return call.Fail(refused);
    const Result<std::uint32_t> count = PageSizeFromProto(call.request().page_size());
    if (!count.ok()) return call.Fail(count.status());
    const Result<std::string> after = NameFromPageToken(call.request().page_token());
    if (!after.ok()) return call.Fail(after.status());
    const BrokerStatistics statistics = call.broker().statistics();
    const EntityNumbers::Page page = statistics.entities->ReadPage(*after, *count);
    for (const EntityNumbers::Row& row : page.rows) {
      v1::EntityNumbers* numbers = call.response().add_entities();
      ToProto(row, numbers);
      if (call.request().with_table_bytes()) {
        numbers->set_table_bytes(static_cast<std::int64_t>(statistics.table_bytes(row.id)));
      }
    }
    if (page.has_more) {
      call.response().set_next_page_token(PageTokenOfName(page.rows.back().path));
    }
    call.Succeed();
  });
}

}  // namespace wharf
