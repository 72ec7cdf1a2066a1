#include "broker/core/queue/settlement.h"

#include <fmt/core.h>

#include "broker/core/entities/retry_policy.h"
#include "broker/core/messages/message.h"
#include "broker/core/messages/text.h"

namespace wharf {
namespace {

constexpr std::size_t kReasonCharactersMax = 4096;

Status CheckDelay(const Settlement& settlement) {
  const std::optional<Duration>& delay = settlement.delay;
  if (delay && (*delay < Duration(0) || *delay > kDelayMax)) {
    return {ErrorCode::kArgumentOutOfRange, "the delay of an abandon must be from 0 to 7 days"};
  }
  return {};
}

}  // namespace

Status CheckSettlement(const Settlement& settlement) {
  for (const auto* text : {&settlement.reason, &settlement.description}) {
    if (*text && CharactersIn(**text) > kReasonCharactersMax) {
      return {ErrorCode::kArgumentError,
              fmt::format("a dead-letter reason or description is longer than {} characters",
                          kReasonCharactersMax)};
    }
  }
  WHARF_RETURN_IF_ERROR(CheckDelay(settlement));
  return CheckProperties(settlement.properties_to_modify);
}

}  // namespace wharf
