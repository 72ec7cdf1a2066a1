"""topic_calls: the calls of the service Topics in short forms, for wire.Client."""

from wharf.v1 import topics_pb2, topics_pb2_grpc


def path_of(topic, subscription):
    return f"{topic}/Subscriptions/{subscription}"


def sql(text, name="rule", action=None, **parameters):
    """A rule with an SQL filter; its parameters by their names."""
    return topics_pb2.Rule(name=name, sql_filter=topics_pb2.SqlText(text=text, parameters=parameters),
                           action=action and topics_pb2.SqlText(text=action))


def correlation(name="rule", action=None, **wanted):
    return topics_pb2.Rule(name=name, correlation_filter=topics_pb2.CorrelationFilter(**wanted),
                           action=action and topics_pb2.SqlText(text=action))


def everything(name="rule", action=None, etag=""):
    return topics_pb2.Rule(name=name, true_filter=topics_pb2.TrueFilter(), etag=etag,
                           action=action and topics_pb2.SqlText(text=action))


class TopicCalls:
    """The topics of one connection."""

    def __init__(self, channel, timeout):
        self.stub = topics_pb2_grpc.TopicsStub(channel)
        self._timeout = timeout

    def _call(self, method, request):
        return getattr(self.stub, method)(request, timeout=self._timeout)

    def create(self, name, **properties):
        topic = topics_pb2.TopicProperties(name=name, **properties)
        return self._call("CreateTopic", topics_pb2.CreateTopicRequest(topic=topic))

    def update(self, name, mask=None, **properties):
        return self._call("UpdateTopic", topics_pb2.UpdateTopicRequest(
            entity_path=name, topic=topics_pb2.TopicProperties(**properties), update_mask=mask))

    def get(self, name):
        return self._call("GetTopic", topics_pb2.GetTopicRequest(entity_path=name))

    def list(self, count=0, token=""):
        return self._call("ListTopics", topics_pb2.ListTopicsRequest(page_size=count, page_token=token))

    def delete(self, name, etag=""):
        return self._call("DeleteTopic", topics_pb2.DeleteTopicRequest(entity_path=name, etag=etag))

    def runtime(self, name):
        return self._call("GetTopicRuntimeProperties", topics_pb2.GetTopicRuntimePropertiesRequest(entity_path=name))

    def subscribe(self, topic, name, rule=None, **properties):
        """The path of the new subscription; without a rule it gets everything."""
        self.create_subscription(topic, name, rule, **properties)
        return path_of(topic, name)

    def create_subscription(self, topic, name, rule=None, **properties):
        subscription = topics_pb2.SubscriptionProperties(topic=topic, name=name, **properties)
        return self._call("CreateSubscription",
                          topics_pb2.CreateSubscriptionRequest(subscription=subscription, default_rule=rule))

    def update_subscription(self, topic, name, mask=None, **properties):
        return self._call("UpdateSubscription", topics_pb2.UpdateSubscriptionRequest(
            entity_path=path_of(topic, name), subscription=topics_pb2.SubscriptionProperties(**properties),
            update_mask=mask))

    def get_subscription(self, topic, name):
        return self._call("GetSubscription", topics_pb2.GetSubscriptionRequest(entity_path=path_of(topic, name)))

    def list_subscriptions(self, topic, count=0, token=""):
        return self._call("ListSubscriptions", topics_pb2.ListSubscriptionsRequest(
            entity_path=topic, page_size=count, page_token=token))

    def delete_subscription(self, topic, name, etag=""):
        return self._call("DeleteSubscription",
                          topics_pb2.DeleteSubscriptionRequest(entity_path=path_of(topic, name), etag=etag))

    def subscription_runtime(self, topic, name):
        return self._call("GetSubscriptionRuntimeProperties", topics_pb2.GetSubscriptionRuntimePropertiesRequest(
            entity_path=path_of(topic, name)))

    def add_rule(self, topic, subscription, rule):
        return self._call("AddRule", topics_pb2.AddRuleRequest(entity_path=path_of(topic, subscription), rule=rule))

    def update_rule(self, topic, subscription, rule):
        return self._call("UpdateRule",
                          topics_pb2.UpdateRuleRequest(entity_path=path_of(topic, subscription), rule=rule))

    def remove_rule(self, topic, subscription, name="$Default", etag=""):
        return self._call("RemoveRule", topics_pb2.RemoveRuleRequest(
            entity_path=path_of(topic, subscription), name=name, etag=etag))

    def get_rule(self, topic, subscription, name="$Default"):
        return self._call("GetRule", topics_pb2.GetRuleRequest(entity_path=path_of(topic, subscription), name=name))

    def list_rules(self, topic, subscription, count=0, token=""):
        return self._call("ListRules", topics_pb2.ListRulesRequest(
            entity_path=path_of(topic, subscription), page_size=count, page_token=token))

    def evaluate(self, message, rule):
        """What the rule says of the message."""
        (verdict,) = self._call("EvaluateRule", topics_pb2.EvaluateRuleRequest(message=message, rule=rule)).verdicts
        return verdict

    def evaluate_stored(self, message, topic, subscription, **options):
        """What the rules of a subscription say of the message."""
        stored = topics_pb2.SubscriptionRules(entity_path=path_of(topic, subscription), **options)
        return self._call("EvaluateRule", topics_pb2.EvaluateRuleRequest(message=message, subscription_rules=stored))
