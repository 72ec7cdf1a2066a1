#include "tools/wharf/entities/retry_options.h"

#include <fmt/core.h>

#include "tools/wharf/text/choice_option.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

Status Set(v1::RetryPolicy& policy, const std::string& field, const std::string& text) {
  return SetFieldFromText(policy, *v1::RetryPolicy::descriptor()->FindFieldByName(field), text);
}

void AddField(CLI::App& command, const std::string& field, const char* type,
              const std::string& help, GivenRetryPolicy& given) {
  const std::string option = "--retry-" + field;
  const auto give = [&given, field, option](const std::string& text) {
    v1::RetryPolicy scratch;
    const Status status = Set(scratch, field, text);
    if (!status.ok()) throw CLI::ValidationError(option, status.message());
    given.fields[field] = text;
  };
  command.add_option_function<std::string>(option, give, help)->type_name(type);
}

template <typename Entity>
void ApplyTo(const GivenRetryPolicy& given, Entity& entity) {
  if (given.is_none) return entity.clear_retry_policy();
  for (const auto& [field, text] : given.fields) {
    const Status status = Set(*entity.mutable_retry_policy(), field, text);
    if (!status.ok()) throw CLI::ValidationError(field, status.message());
  }
}

}  // namespace

void AddRetryOptions(CLI::App& command, GivenRetryPolicy& given) {
  const auto give_backoff = [&given](const std::string& text) {
    given.is_none = text == "none";
    if (!given.is_none) given.fields["backoff"] = text;
  };
  AddChoiceFunction(command, "--retry", {"none", "fixed", "linear", "exponential"}, give_backoff,
                    "How long a message rests after its n-th failed delivery. fixed: always the "
                    "base; linear: n times the base; exponential: 2^(n-1) times; none, the "
                    "default: not at all. Needed before the other --retry options mean something");
  AddField(command, "base", "DURATION", "The base: more than 0s, at most 7d; default 1s", given);
  AddField(command, "cap", "DURATION", "The longest rest: from the base to 7d; default 7d", given);
  AddField(command, "jitter", "NUMBER",
           "Up to this part of the rest is added or taken away by chance: 0 to 1; default 0",
           given);
}

void AddTo(google::protobuf::FieldMask& mask, const GivenRetryPolicy& given) {
  if (given.is_none) mask.add_paths("retry_policy");
  if (given.is_none) return;
  for (const auto& [field, text] : given.fields) mask.add_paths("retry_policy." + field);
}

Status CheckNew(const GivenRetryPolicy& given) {
  if (given.fields.empty() || given.fields.contains("backoff")) return Status::Ok();
  return {ErrorCode::kArgumentError,
          fmt::format("--retry-{} means something only with --retry", given.fields.begin()->first)};
}

void Apply(const GivenRetryPolicy& given, v1::QueueProperties& queue) { ApplyTo(given, queue); }

void Apply(const GivenRetryPolicy& given, v1::SubscriptionProperties& subscription) {
  ApplyTo(given, subscription);
}

}  // namespace wharf::tool
