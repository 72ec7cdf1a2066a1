// Rules of subscriptions, and what they say of a message.

#include <string>
#include <utility>

#include <google/protobuf/empty.pb.h>

#include "broker/core/entities/names.h"
#include "broker/doors/common/field_error.h"
#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_topic.h"
#include "broker/doors/grpc/convert/etag.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/convert/topics_answer.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/topics_service.h"

namespace wharf {
namespace {

constexpr std::uint32_t kVerdictsMax = 250;

using EvaluateCall = UnaryCall<v1::EvaluateRuleRequest, v1::EvaluateRuleResponse>;

template <typename Call>
Answer<RuleDescription> AnswerRule(Call& call) {
  return [&call](Result<RuleDescription> rule) {
    if (!rule.ok()) return call.Fail(rule.status());
    ToProto(*rule, &call.response());
    call.Succeed();
  };
}

Status CheckRuleEtag(const std::string& asked, const RuleDescription& rule) {
  v1::Rule current;
  ToProto(rule, &current);
  return CheckEtag(asked, current.etag(), rule.name);
}

// It puts `wanted` in the place of what is there, if that still has this etag.
RuleEdit RuleEditOf(RuleDescription wanted, const std::string& etag) {
  return [wanted = std::move(wanted),
          etag](const RuleDescription& current) mutable -> Result<RuleDescription> {
    WHARF_RETURN_IF_ERROR(CheckRuleEtag(etag, current));
    return std::move(wanted);
  };
}

// None where none is asked for: an etag is made of the whole rule.
RuleCheck RuleCheckOf(const std::string& etag) {
  if (etag.empty()) return {};
  return [etag](const RuleDescription& current) { return CheckRuleEtag(etag, current); };
}

void EvaluateGiven(Message message, EvaluateCall& call) {
  Result<RuleDescription> rule = FromProto(call.request().rule());
  if (!rule.ok()) return call.Fail(rule.status());
  call.requests().Ask(call.caller(), EvaluateRuleRequest{*std::move(rule), std::move(message)},
                      [&call](const Result<RuleVerdict>& verdict) {
                        if (!verdict.ok()) return call.Fail(verdict.status());
                        ToProto(*verdict, call.about(), call.response().add_verdicts());
                        call.Succeed();
                      });
}

void EvaluateStored(Message message, EvaluateCall& call) {
  const v1::SubscriptionRules& rules = call.request().subscription_rules();
  call.entity_path = rules.entity_path();
  const Result<std::uint32_t> count = PageSizeFromProto(rules.page_size(), kVerdictsMax);
  if (!count.ok()) return call.Fail(count.status());
  const Result<std::string> after = NameFromPageToken(rules.page_token());
  if (!after.ok()) return call.Fail(after.status());
  EvaluateRulesRequest question{.subscription = call.entity_path,
                                .rule = rules.rule(),
                                .after = *after,
                                .count_max = *count,
                                .message = std::move(message)};
  call.requests().Ask(call.caller(), std::move(question),
                      [&call](const Result<RuleVerdictPage>& page) {
                        if (!page.ok()) return call.Fail(page.status());
                        for (const RuleVerdict& verdict : page->verdicts) {
                          ToProto(verdict, call.about(), call.response().add_verdicts());
                        }
                        if (page->has_more) {
                          call.response().set_next_page_token(
                              PageTokenOfName(FoldPath(page->verdicts.back().rule)));
                        }
                        call.Succeed();
                      });
}

}  // namespace

UnaryReactor* TopicsService::AddRule(grpc::CallbackServerContext* context,
                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::AddRuleRequest, v1::Rule>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<RuleDescription> rule = FromProto(call.request().rule());
    if (!rule.ok()) return call.Fail(rule.status());
    call.requests().Ask(call.caller(), AddRuleRequest{call.entity_path, *std::move(rule)},
                        AnswerRule(call));
  });
}

UnaryReactor* TopicsService::UpdateRule(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::UpdateRuleRequest, v1::Rule>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const v1::Rule& asked = call.request().rule();
    call.entity_path = call.request().entity_path();
    Result<RuleDescription> rule = FromProto(asked);
    if (!rule.ok()) return call.Fail(rule.status());
    call.requests().Ask(call.caller(),
                        UpdateRuleRequest{call.entity_path, asked.name(),
                                          RuleEditOf(*std::move(rule), asked.etag())},
                        AnswerRule(call));
  });
}

UnaryReactor* TopicsService::RemoveRule(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::RemoveRuleRequest, google::protobuf::Empty>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        RemoveRuleRequest{call.entity_path, call.request().name(),
                                          RuleCheckOf(call.request().etag())},
                        AnswerDone(call));
  });
}

UnaryReactor* TopicsService::GetRule(grpc::CallbackServerContext* context,
                                     grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetRuleRequest, v1::Rule>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(), GetRuleRequest{call.entity_path, call.request().name()},
                        AnswerRule(call));
  });
}

UnaryReactor* TopicsService::ListRules(grpc::CallbackServerContext* context,
                                       grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListRulesRequest, v1::ListRulesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<std::uint32_t> count = PageSizeFromProto(call.request().page_size());
    if (!count.ok()) return call.Fail(count.status());
    const Result<std::string> after = NameFromPageToken(call.request().page_token());
    if (!after.ok()) return call.Fail(after.status());
    call.requests().Ask(
        call.caller(), ListRulesRequest{call.entity_path, *after, *count},
        [&call](const Result<RulePage>& page) {
          if (!page.ok()) return call.Fail(page.status());
          for (const RuleDescription& rule : page->rules) {
            ToProto(rule, call.response().add_rules());
          }
          if (page->has_more) {
            call.response().set_next_page_token(PageTokenOfName(FoldPath(page->rules.back().name)));
          }
          call.Succeed();
        });
  });
}

UnaryReactor* TopicsService::EvaluateRule(grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* response) {
  return EvaluateCall::Start(gates_, context, response, [](EvaluateCall& call) {
    Result<Message> message = FromProto(*call.request().mutable_message());
    if (!message.ok()) return call.Fail(message.status());
    if (call.request().has_rule()) return EvaluateGiven(*std::move(message), call);
    if (call.request().has_subscription_rules()) {
      return EvaluateStored(*std::move(message), call);
    }
    call.Fail(BadValue("rules", "says neither a rule nor a subscription"));
  });
}

}  // namespace wharf
