// Conversions between topics, subscriptions and rules of wharf.v1 and the broker's own values.
#pragma once

#include <string>

#include <wharf/v1/topics.pb.h>

#include "broker/core/entities/rule.h"
#include "broker/doors/grpc/errors.h"
#include "broker/requests/requests.h"

namespace wharf {

Result<QueueDescription> FromProto(const v1::TopicProperties& proto);
Result<QueueDescription> FromProto(const v1::SubscriptionProperties& proto);
void ToProto(const EntityRecord& record, v1::TopicProperties* proto);
void ToProto(const EntityRecord& record, v1::SubscriptionProperties* proto);
void ToProto(const QueueSnapshot& snapshot, v1::TopicRuntimeProperties* proto);
void ToProto(const QueueSnapshot& snapshot, v1::SubscriptionRuntimeProperties* proto);

Result<RuleDescription> FromProto(const v1::Rule& proto);
void ToProto(const RuleDescription& rule, v1::Rule* proto);
// `entity_path` is for its error.
void ToProto(const RuleVerdict& verdict, const AboutRequest& about, v1::RuleVerdict* proto);

}  // namespace wharf
