// The gRPC service wharf.v1.Topics. Called on gRPC's threads; keeps nothing.
//
//   topics_service.cc           topics
//   topics_subscriptions.cc     subscriptions
//   topics_rules.cc             rules, and what they say of a message
#pragma once

#include <wharf/v1/topics.grpc.pb.h>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/grpc/services/raw_methods.h"

namespace wharf {

class TopicsService final
    : public RawMethods<
          v1::Topics::Service, v1::Topics::WithRawCallbackMethod_CreateTopic,
          v1::Topics::WithRawCallbackMethod_UpdateTopic, v1::Topics::WithRawCallbackMethod_GetTopic,
          v1::Topics::WithRawCallbackMethod_ListTopics,
          v1::Topics::WithRawCallbackMethod_DeleteTopic,
          v1::Topics::WithRawCallbackMethod_GetTopicRuntimeProperties,
          v1::Topics::WithRawCallbackMethod_CreateSubscription,
          v1::Topics::WithRawCallbackMethod_UpdateSubscription,
          v1::Topics::WithRawCallbackMethod_GetSubscription,
          v1::Topics::WithRawCallbackMethod_ListSubscriptions,
          v1::Topics::WithRawCallbackMethod_DeleteSubscription,
          v1::Topics::WithRawCallbackMethod_GetSubscriptionRuntimeProperties,
          v1::Topics::WithRawCallbackMethod_AddRule, v1::Topics::WithRawCallbackMethod_RemoveRule,
          v1::Topics::WithRawCallbackMethod_GetRule, v1::Topics::WithRawCallbackMethod_ListRules,
          v1::Topics::WithRawCallbackMethod_EvaluateRule> {
 public:
  explicit TopicsService(CallGate& gate) : gate_(gate) {}

  grpc::ServerUnaryReactor* CreateTopic(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* UpdateTopic(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetTopic(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListTopics(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* DeleteTopic(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetTopicRuntimeProperties(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* CreateSubscription(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* request,
                                               grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* UpdateSubscription(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* request,
                                               grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetSubscription(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListSubscriptions(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* DeleteSubscription(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* request,
                                               grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetSubscriptionRuntimeProperties(grpc::CallbackServerContext* context,
                                                             const grpc::ByteBuffer* request,
                                                             grpc::ByteBuffer* response) override;

  grpc::ServerUnaryReactor* AddRule(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* RemoveRule(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetRule(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListRules(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* EvaluateRule(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;

 private:
  CallGate& gate_;
};

}  // namespace wharf
