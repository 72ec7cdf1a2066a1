#include "broker/doors/grpc/services/topics_service.h"

#include <google/protobuf/empty.pb.h>

#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_topic.h"
#include "broker/doors/grpc/convert/entity_update.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/convert/topics_answer.h"
#include "broker/doors/grpc/services/call.h"

namespace wharf {

TopicsService::TopicsService(const Gates& gates)
    : RawService(v1::Topics::service_full_name()), gates_(gates) {
  Offer(Unary("CreateTopic", &TopicsService::CreateTopic),
        Unary("UpdateTopic", &TopicsService::UpdateTopic),
        Unary("GetTopic", &TopicsService::GetTopic),
        Unary("ListTopics", &TopicsService::ListTopics),
        Unary("DeleteTopic", &TopicsService::DeleteTopic),
        Unary("GetTopicRuntimeProperties", &TopicsService::GetTopicRuntimeProperties),
        Unary("CreateSubscription", &TopicsService::CreateSubscription),
        Unary("UpdateSubscription", &TopicsService::UpdateSubscription),
        Unary("GetSubscription", &TopicsService::GetSubscription),
        Unary("ListSubscriptions", &TopicsService::ListSubscriptions),
        Unary("DeleteSubscription", &TopicsService::DeleteSubscription),
        Unary("GetSubscriptionRuntimeProperties", &TopicsService::GetSubscriptionRuntimeProperties),
        Unary("AddRule", &TopicsService::AddRule), Unary("UpdateRule", &TopicsService::UpdateRule),
        Unary("RemoveRule", &TopicsService::RemoveRule), Unary("GetRule", &TopicsService::GetRule),
        Unary("ListRules", &TopicsService::ListRules),
        Unary("EvaluateRule", &TopicsService::EvaluateRule));
}

UnaryReactor* TopicsService::CreateTopic(grpc::CallbackServerContext* context,
                                         grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CreateTopicRequest, v1::TopicProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().topic().name();
    Result<QueueDescription> description = FromProto(call.request().topic());
    if (!description.ok()) return call.Fail(description.status());
    call.requests().Ask(
        call.caller(),
        CreateEntityRequest{EntityKind::kTopic, *std::move(description), std::nullopt},
        AnswerProperties(call));
  });
}

UnaryReactor* TopicsService::UpdateTopic(grpc::CallbackServerContext* context,
                                         grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::UpdateTopicRequest, v1::TopicProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Status bad = CheckMask<v1::TopicProperties>(call.request());
    if (!bad.ok()) return call.Fail(bad);
    call.requests().Ask(
        call.caller(),
        UpdateEntityRequest{EntityKind::kTopic, call.entity_path,
                            EditOf(call.request().topic(), call.request().update_mask())},
        AnswerProperties(call));
  });
}

UnaryReactor* TopicsService::GetTopic(grpc::CallbackServerContext* context,
                                      grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetTopicRequest, v1::TopicProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(), GetEntityRequest{EntityKind::kTopic, call.entity_path},
                        AnswerProperties(call));
  });
}

UnaryReactor* TopicsService::ListTopics(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListTopicsRequest, v1::ListTopicsResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Result<std::uint32_t> count = PageSizeFromProto(call.request().page_size());
    if (!count.ok()) return call.Fail(count.status());
    const Result<std::string> after = NameFromPageToken(call.request().page_token());
    if (!after.ok()) return call.Fail(after.status());
    call.requests().Ask(call.caller(), ListEntitiesRequest{EntityKind::kTopic, *after, *count},
                        [&call](Result<QueuePage> page) {
                          if (!page.ok()) return call.Fail(page.status());
                          for (const QueueSnapshot& snapshot : page->queues) {
                            ToProto(snapshot.record, call.response().add_topics());
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

UnaryReactor* TopicsService::DeleteTopic(grpc::CallbackServerContext* context,
                                         grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::DeleteTopicRequest, google::protobuf::Empty>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        DeleteEntityRequest{EntityKind::kTopic, call.entity_path,
                                            CheckOf<v1::TopicProperties>(call.request().etag())},
                        AnswerDone(call));
  });
}

UnaryReactor* TopicsService::GetTopicRuntimeProperties(grpc::CallbackServerContext* context,
                                                       grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetTopicRuntimePropertiesRequest, v1::TopicRuntimeProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(), GetEntityRequest{EntityKind::kTopic, call.entity_path},
                        AnswerRuntime(call));
  });
}

}  // namespace wharf
