// Who may do what.

#include <utility>

#include "broker/doors/grpc/convert/convert_access.h"
#include "broker/doors/grpc/convert/etag.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/management_service.h"

namespace wharf {
namespace {

template <typename Call>
Answer<AccessRuleInfo> WithAccessRule(Call& call) {
  return [&call](const Result<AccessRuleInfo>& rule) {
    if (!rule.ok()) return call.Fail(rule.status());
    ToProto(*rule, &call.response());
    call.Succeed();
  };
}

// That it still has this etag, if one was asked for.
AccessRuleCheck AccessRuleCheckOf(const std::string& etag) {
  if (etag.empty()) return {};
  return [etag](const AccessRuleInfo& rule) {
    v1::AccessRule current;
    ToProto(rule, &current);
    return CheckEtag(etag, current.etag(), rule.name);
  };
}

}  // namespace

UnaryReactor* ManagementService::CreateAccessRule(grpc::CallbackServerContext* context,
                                                  grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CreateAccessRuleRequest, v1::AccessRule>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const v1::AccessRule& rule = call.request().rule();
    call.entity_path = rule.entity_path();
    const Result<access::Rights> rights = RightsFromProto(rule.rights());
    if (!rights.ok()) return call.Fail(rights.status());
    call.requests().Ask(call.caller(),
                        CreateAccessRuleRequest{.path = call.entity_path,
                                                .name = rule.name(),
                                                .rights = *rights,
                                                .primary_key = rule.primary_key(),
                                                .secondary_key = rule.secondary_key(),
                                                .shows_keys = call.request().show_keys()},
                        WithAccessRule(call));
  });
}

UnaryReactor* ManagementService::GetAccessRule(grpc::CallbackServerContext* context,
                                               grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::GetAccessRuleRequest, v1::AccessRule>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        GetAccessRuleRequest{.path = call.entity_path,
                                             .name = call.request().name(),
                                             .shows_keys = call.request().show_keys()},
                        WithAccessRule(call));
  });
}

UnaryReactor* ManagementService::ListAccessRules(grpc::CallbackServerContext* context,
                                                 grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListAccessRulesRequest, v1::ListAccessRulesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(), ListAccessRulesRequest{call.entity_path},
                        [&call](const Result<std::vector<AccessRuleInfo>>& rules) {
                          if (!rules.ok()) return call.Fail(rules.status());
                          for (const AccessRuleInfo& rule : *rules) {
                            ToProto(rule, call.response().add_rules());
                          }
                          call.Succeed();
                        });
  });
}

UnaryReactor* ManagementService::RotateAccessKey(grpc::CallbackServerContext* context,
                                                 grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::RotateAccessKeyRequest, v1::AccessRule>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<access::KeySlot> slot = KeySlotFromProto(call.request().slot());
    if (!slot.ok()) return call.Fail(slot.status());
    call.requests().Ask(call.caller(),
                        RotateAccessKeyRequest{.path = call.entity_path,
                                               .name = call.request().name(),
                                               .slot = *slot,
                                               .key = call.request().key(),
                                               .shows_keys = call.request().show_keys()},
                        WithAccessRule(call));
  });
}

UnaryReactor* ManagementService::RemoveAccessRule(grpc::CallbackServerContext* context,
                                                  grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::RemoveAccessRuleRequest, google::protobuf::Empty>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        RemoveAccessRuleRequest{call.entity_path, call.request().name(),
                                                AccessRuleCheckOf(call.request().etag())},
                        AnswerDone(call));
  });
}

}  // namespace wharf
