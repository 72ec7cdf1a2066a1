// Rules, and what they say of a message.

#include <utility>

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_properties.h"
#include "broker/doors/grpc/convert/convert_topic.h"
#include "broker/doors/grpc/convert/etag.h"
#include "broker/doors/grpc/errors.h"

namespace wharf {
namespace {

Result<SqlText> FromProto(const v1::SqlText& proto) {
  Result<PropertyMap> parameters = PropertiesFromProto(proto.parameters());
  if (!parameters.ok()) return parameters.status();
  return SqlText{.text = proto.text(), .parameters = *std::move(parameters)};
}

void ToProto(const SqlText& sql, v1::SqlText* proto) {
  proto->set_text(sql.text);
  PropertiesToProto(sql.parameters, *proto->mutable_parameters());
}

Result<CorrelationFilter> FromProto(const v1::CorrelationFilter& proto) {
  CorrelationFilter filter;
  if (proto.has_correlation_id()) filter.correlation_id = proto.correlation_id();
  if (proto.has_message_id()) filter.message_id = proto.message_id();
  if (proto.has_to()) filter.to = proto.to();
  if (proto.has_reply_to()) filter.reply_to = proto.reply_to();
  if (proto.has_subject()) filter.subject = proto.subject();
  if (proto.has_session_id()) filter.session_id = proto.session_id();
  if (proto.has_reply_to_session_id()) filter.reply_to_session_id = proto.reply_to_session_id();
  if (proto.has_content_type()) filter.content_type = proto.content_type();
  Result<PropertyMap> properties = PropertiesFromProto(proto.application_properties());
  if (!properties.ok()) return properties.status();
  filter.application_properties = *std::move(properties);
  return filter;
}

void ToProto(const CorrelationFilter& filter, v1::CorrelationFilter* proto) {
  if (filter.correlation_id) proto->set_correlation_id(*filter.correlation_id);
  if (filter.message_id) proto->set_message_id(*filter.message_id);
  if (filter.to) proto->set_to(*filter.to);
  if (filter.reply_to) proto->set_reply_to(*filter.reply_to);
  if (filter.subject) proto->set_subject(*filter.subject);
  if (filter.session_id) proto->set_session_id(*filter.session_id);
  if (filter.reply_to_session_id) proto->set_reply_to_session_id(*filter.reply_to_session_id);
  if (filter.content_type) proto->set_content_type(*filter.content_type);
  PropertiesToProto(filter.application_properties, *proto->mutable_application_properties());
}

template <typename Filter>
Result<RuleFilter> AsFilter(Result<Filter> filter) {
  if (!filter.ok()) return filter.status();
  return RuleFilter(*std::move(filter));
}

Result<RuleFilter> FilterOf(const v1::Rule& proto) {
  switch (proto.filter_case()) {
    case v1::Rule::kFalseFilter:
      return RuleFilter(FalseFilter());
    case v1::Rule::kSqlFilter:
      return AsFilter(FromProto(proto.sql_filter()));
    case v1::Rule::kCorrelationFilter:
      return AsFilter(FromProto(proto.correlation_filter()));
    case v1::Rule::kTrueFilter:
    case v1::Rule::FILTER_NOT_SET:
      break;
  }
  return RuleFilter(TrueFilter());
}

struct FilterToProto {
  v1::Rule& proto;

  void operator()(TrueFilter) const { proto.mutable_true_filter(); }
  void operator()(FalseFilter) const { proto.mutable_false_filter(); }
  void operator()(const SqlText& sql) const { ToProto(sql, proto.mutable_sql_filter()); }
  void operator()(const CorrelationFilter& filter) const {
    ToProto(filter, proto.mutable_correlation_filter());
  }
};

v1::FilterOutcome OutcomeOf(const std::optional<Truth>& truth) {
  if (!truth) return v1::FILTER_OUTCOME_ERROR;
  switch (*truth) {
    case Truth::kFalse:
      return v1::FILTER_OUTCOME_NO_MATCH;
    case Truth::kUnknown:
      return v1::FILTER_OUTCOME_UNKNOWN;
    case Truth::kTrue:
      return v1::FILTER_OUTCOME_MATCH;
  }
  return v1::FILTER_OUTCOME_UNSPECIFIED;
}

void ToProto(const PropertyEvidence& evidence, v1::PropertyEvidence* proto) {
  proto->set_name(evidence.name);
  if (evidence.actual) PropertyToProto(*evidence.actual, proto->mutable_actual());
  if (evidence.wanted) PropertyToProto(*evidence.wanted, proto->mutable_wanted());
  proto->set_is_equal(evidence.is_equal);
}

}  // namespace

Result<RuleDescription> FromProto(const v1::Rule& proto) {
  RuleDescription rule{.name = proto.name()};
  Result<RuleFilter> filter = FilterOf(proto);
  if (!filter.ok()) return filter.status();
  rule.filter = *std::move(filter);
  if (proto.has_action()) {
    Result<SqlText> action = FromProto(proto.action());
    if (!action.ok()) return action.status();
    rule.action = *std::move(action);
  }
  return rule;
}

void ToProto(const RuleDescription& rule, v1::Rule* proto) {
  proto->set_name(rule.name);
  std::visit(FilterToProto{*proto}, rule.filter);
  if (rule.action) ToProto(*rule.action, proto->mutable_action());
  ToProto(rule.created_at, proto->mutable_created_at());
  proto->set_etag(EtagOf(*proto));
}

void ToProto(const RuleVerdict& verdict, const AboutRequest& about, v1::RuleVerdict* proto) {
  proto->set_rule(verdict.rule);
  proto->set_outcome(OutcomeOf(verdict.truth));
  if (!verdict.error.ok()) *proto->mutable_error() = ToProto(verdict.error, about);
  if (verdict.copy) ToProto(*verdict.copy, proto->mutable_copy());
  for (const PropertyEvidence& evidence : verdict.evidence) {
    ToProto(evidence, proto->add_evidence());
  }
}

}  // namespace wharf
