// The gRPC service wharf.v1.Topics. Called on gRPC's threads; keeps nothing.
//
//   topics_service.cc           topics
//   topics_subscriptions.cc     subscriptions
//   topics_rules.cc             rules, and what they say of a message
#pragma once

#include <wharf/v1/topics.grpc.pb.h>

#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

class TopicsService final : public RawService {
 public:
  explicit TopicsService(const Gates& gates);

  UnaryReactor* CreateTopic(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* UpdateTopic(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetTopic(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListTopics(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* DeleteTopic(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetTopicRuntimeProperties(grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* response);

  UnaryReactor* CreateSubscription(grpc::CallbackServerContext* context,
                                   grpc::ByteBuffer* response);
  UnaryReactor* UpdateSubscription(grpc::CallbackServerContext* context,
                                   grpc::ByteBuffer* response);
  UnaryReactor* GetSubscription(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListSubscriptions(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* DeleteSubscription(grpc::CallbackServerContext* context,
                                   grpc::ByteBuffer* response);
  UnaryReactor* GetSubscriptionRuntimeProperties(grpc::CallbackServerContext* context,
                                                 grpc::ByteBuffer* response);

  UnaryReactor* AddRule(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* UpdateRule(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* RemoveRule(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* GetRule(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* ListRules(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);
  UnaryReactor* EvaluateRule(grpc::CallbackServerContext* context, grpc::ByteBuffer* response);

 private:
  const Gates gates_;
};

}  // namespace wharf
