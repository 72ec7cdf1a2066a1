// Subscriptions of topics.

#include <google/protobuf/empty.pb.h>

#include "broker/core/names.h"
#include "broker/grpc/call.h"
#include "broker/grpc/convert.h"
#include "broker/grpc/convert_topic.h"
#include "broker/grpc/receive_answer.h"
#include "broker/grpc/topics_answer.h"
#include "broker/grpc/topics_service.h"

namespace wharf {

grpc::ServerUnaryReactor* TopicsService::CreateSubscription(grpc::CallbackServerContext* context,
                                                            const grpc::ByteBuffer* request,
                                                            grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CreateSubscriptionRequest, v1::SubscriptionProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    Result<QueueDescription> description = FromProto(call.request().subscription());
    if (!description.ok()) return call.Fail(description.status());
    call.entity_path = description->name;
    std::optional<RuleDescription> first_rule;
    if (call.request().has_default_rule()) {
      Result<RuleDescription> rule = FromProto(call.request().default_rule());
      if (!rule.ok()) return call.Fail(rule.status());
      first_rule = *std::move(rule);
    }
    broker_.CreateSubscription(*std::move(description), std::move(first_rule),
                               AnswerProperties(call));
  });
}

grpc::ServerUnaryReactor* TopicsService::UpdateSubscription(grpc::CallbackServerContext* context,
                                                            const grpc::ByteBuffer* request,
                                                            grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::UpdateSubscriptionRequest, v1::SubscriptionProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    Result<QueueDescription> description = FromProto(call.request().subscription());
    if (!description.ok()) return call.Fail(description.status());
    call.entity_path = description->name;
    broker_.Update(EntityKind::kSubscription, *std::move(description), AnswerProperties(call));
  });
}

grpc::ServerUnaryReactor* TopicsService::GetSubscription(grpc::CallbackServerContext* context,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetSubscriptionRequest, v1::SubscriptionProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = SubscriptionPathOf(call.request());
    broker_.Get(EntityKind::kSubscription, call.entity_path, AnswerProperties(call));
  });
}

// A page token is the folded name of the last subscription of the page before.
grpc::ServerUnaryReactor* TopicsService::ListSubscriptions(grpc::CallbackServerContext* context,
                                                           const grpc::ByteBuffer* request,
                                                           grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListSubscriptionsRequest, v1::ListSubscriptionsResponse>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = call.request().topic();
    broker_.ListSubscriptions(
        call.entity_path, call.request().page_token(), PageSizeOf(call.request().page_size()),
        [&call](Result<QueuePage> page) {
          if (!page.ok()) return call.Fail(page.status());
          for (const QueueSnapshot& snapshot : page->queues) {
            ToProto(snapshot.record, call.response().add_subscriptions());
            ToProto(snapshot, call.response().add_runtime());
          }
          if (page->has_more) {
            const v1::SubscriptionProperties& last = *call.response().subscriptions().rbegin();
            call.response().set_next_page_token(FoldPath(last.name()));
          }
          call.Succeed();
        });
  });
}

grpc::ServerUnaryReactor* TopicsService::DeleteSubscription(grpc::CallbackServerContext* context,
                                                            const grpc::ByteBuffer* request,
                                                            grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::DeleteSubscriptionRequest, google::protobuf::Empty>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = SubscriptionPathOf(call.request());
    broker_.Delete(EntityKind::kSubscription, call.entity_path, AnswerDone(call));
  });
}

grpc::ServerUnaryReactor* TopicsService::GetSubscriptionRuntimeProperties(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  using Call =
      UnaryCall<v1::GetSubscriptionRuntimePropertiesRequest, v1::SubscriptionRuntimeProperties>;
  return Call::Start(calls_, context, request, response, [this](Call& call) {
    call.entity_path = SubscriptionPathOf(call.request());
    broker_.Get(EntityKind::kSubscription, call.entity_path, AnswerRuntime(call));
  });
}

}  // namespace wharf
