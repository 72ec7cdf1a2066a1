#include "broker/requests/encodings.h"

#include <algorithm>

namespace wharf {
namespace {

bool IsIn(const PropertyMap& properties) {
  return std::any_of(properties.begin(), properties.end(), [](const auto& property) {
    return std::holds_alternative<EncodedValue>(property.second);
  });
}

bool IsIn(const Message& message) {
  if (message.amqp_form || IsIn(message.application_properties)) return true;
  const CarriedProperties* const carried = message.carried.get();
  return carried != nullptr && (IsIn(carried->annotations) || IsIn(carried->footer));
}

bool IsIn(const std::vector<Message>& messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [](const Message& message) { return IsIn(message); });
}

bool IsIn(const Settlement& settlement) { return IsIn(settlement.properties_to_modify); }

bool IsIn(const Operation& operation) {
  if (const auto* send = std::get_if<SendMessages>(&operation.what)) return IsIn(send->messages);
  const auto* settle = std::get_if<SettleMessages>(&operation.what);
  return settle != nullptr && IsIn(settle->settlement);
}

bool IsIn(const RuleDescription& rule) {
  if (rule.action && IsIn(rule.action->parameters)) return true;
  if (const auto* sql = std::get_if<SqlText>(&rule.filter)) return IsIn(sql->parameters);
  const auto* correlation = std::get_if<CorrelationFilter>(&rule.filter);
  return correlation != nullptr && IsIn(correlation->application_properties);
}

}  // namespace

bool BringsEncodings(const SendRequest& request) { return IsIn(request.messages); }
// What comes at the end of one that ends apart may bring some.
bool BringsEncodings(const UploadRequest& request) {
  return request.ends_apart || !request.body_bytes.has_value() || IsIn(request.message);
}
bool BringsEncodings(const SettleRequest& request) { return IsIn(request.settlement); }
bool BringsEncodings(const SettleOneRequest& request) { return IsIn(request.settlement); }

bool BringsEncodings(const RunTransactionRequest& request) {
  return std::any_of(request.operations.begin(), request.operations.end(),
                     [](const Operation& operation) { return IsIn(operation); });
}
bool BringsEncodings(const AddToTransactionRequest& request) {
  return request.operation.ok() && IsIn(*request.operation);
}

bool BringsEncodings(const CreateEntityRequest& request) {
  return request.first_rule && IsIn(*request.first_rule);
}
bool BringsEncodings(const AddRuleRequest& request) { return IsIn(request.rule); }

}  // namespace wharf
