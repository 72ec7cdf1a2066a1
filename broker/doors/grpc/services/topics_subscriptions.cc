// Subscriptions of topics.

#include <google/protobuf/empty.pb.h>

#include "broker/core/entities/names.h"
#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_topic.h"
#include "broker/doors/grpc/convert/entity_update.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/convert/topics_answer.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/topics_service.h"

namespace wharf {

UnaryReactor* TopicsService::CreateSubscription(grpc::CallbackServerContext* context,
                                                grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CreateSubscriptionRequest, v1::SubscriptionProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    Result<QueueDescription> description = FromProto(call.request().subscription());
    if (!description.ok()) return call.Fail(description.status());
    call.entity_path = description->name;
    std::optional<RuleDescription> first_rule;
    if (call.request().has_default_rule()) {
      Result<RuleDescription> rule = FromProto(call.request().default_rule());
      if (!rule.ok()) return call.Fail(rule.status());
      first_rule = *std::move(rule);
    }
    call.requests().Ask(call.caller(),
                        CreateEntityRequest{EntityKind::kSubscription, *std::move(description),
                                            std::move(first_rule)},
                        AnswerProperties(call));
  });
}

UnaryReactor* TopicsService::UpdateSubscription(grpc::CallbackServerContext* context,
                                                grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::UpdateSubscriptionRequest, v1::SubscriptionProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Status bad = CheckMask<v1::SubscriptionProperties>(call.request());
    if (!bad.ok()) return call.Fail(bad);
    call.requests().Ask(
        call.caller(),
        UpdateEntityRequest{EntityKind::kSubscription, call.entity_path,
                            EditOf(call.request().subscription(), call.request().update_mask())},
        AnswerProperties(call));
  });
}

UnaryReactor* TopicsService::GetSubscription(grpc::CallbackServerContext* context,
                                             grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetSubscriptionRequest, v1::SubscriptionProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        GetEntityRequest{EntityKind::kSubscription, call.entity_path},
                        AnswerProperties(call));
  });
}

UnaryReactor* TopicsService::ListSubscriptions(grpc::CallbackServerContext* context,
                                               grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListSubscriptionsRequest, v1::ListSubscriptionsResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<std::uint32_t> count = PageSizeFromProto(call.request().page_size());
    if (!count.ok()) return call.Fail(count.status());
    const Result<std::string> after = NameFromPageToken(call.request().page_token());
    if (!after.ok()) return call.Fail(after.status());
    call.requests().Ask(
        call.caller(), ListSubscriptionsRequest{call.entity_path, *after, *count},
        [&call](Result<QueuePage> page) {
          if (!page.ok()) return call.Fail(page.status());
          for (const QueueSnapshot& snapshot : page->queues) {
            ToProto(snapshot.record, call.response().add_subscriptions());
            ToProto(snapshot, call.response().add_runtime());
          }
          if (page->has_more) {
            const v1::SubscriptionProperties& last = *call.response().subscriptions().rbegin();
            call.response().set_next_page_token(PageTokenOfName(FoldPath(last.name())));
          }
          call.Succeed();
        });
  });
}

UnaryReactor* TopicsService::DeleteSubscription(grpc::CallbackServerContext* context,
                                                grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::DeleteSubscriptionRequest, google::protobuf::Empty>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(
        call.caller(),
        DeleteEntityRequest{EntityKind::kSubscription, call.entity_path,
                            CheckOf<v1::SubscriptionProperties>(call.request().etag())},
        AnswerDone(call));
  });
}

UnaryReactor* TopicsService::GetSubscriptionRuntimeProperties(grpc::CallbackServerContext* context,
                                                              grpc::ByteBuffer* response) {
  using Call =
      UnaryCall<v1::GetSubscriptionRuntimePropertiesRequest, v1::SubscriptionRuntimeProperties>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        GetEntityRequest{EntityKind::kSubscription, call.entity_path},
                        AnswerRuntime(call));
  });
}

}  // namespace wharf
