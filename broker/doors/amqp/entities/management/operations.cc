#include "broker/doors/amqp/entities/management/operations.h"

#include <string_view>

#include <fmt/format.h>

#include "broker/access/ascii_text.h"
#include "broker/core/messages/text.h"

namespace wharf::amqp {
namespace {

using Function = void (*)(const OperationPtr&);
struct Known {
  std::string_view name;
  Function function;
  // Of what is always empty: there is nothing.
  bool finds = false;
  // May be done in a transaction (TXN-1, TXN-2).
  bool is_transactional = false;
};

constexpr Known kKnown[] = {
    {"com.microsoft:renew-lock", RenewLock, false, true},
    {"com.microsoft:update-disposition", UpdateDisposition, false, true},
    {"com.microsoft:peek-message", PeekMessages, true},
    {"com.microsoft:receive-by-sequence-number", ReceiveByNumber},
    {"com.microsoft:batch-delete-messages", DeleteMessages, true},
    {"com.microsoft:schedule-message", ScheduleMessages, false, true},
    {"com.microsoft:cancel-scheduled-message", CancelScheduled},
    {"com.microsoft:renew-session-lock", RenewSessionLock},
    {"com.microsoft:get-session-state", GetSessionState},
    {"com.microsoft:set-session-state", SetSessionState, false, true},
    {"com.microsoft:get-message-sessions", ListSessions},
    {"com.microsoft:add-rule", AddRule},
    {"com.microsoft:remove-rule", RemoveRule},
    {"com.microsoft:enumerate-rules", ListRules},
};

// Transfers are atomic, so nothing ever rests there.
bool IsAlwaysEmpty(std::string_view path) {
  constexpr std::string_view kTransfer = "/$Transfer/$DeadLetterQueue";
  return path.size() > kTransfer.size() &&
         access::EqualsInAnyCase(path.substr(path.size() - kTransfer.size()), kTransfer);
}

}  // namespace

void Do(const OperationPtr& operation) {
  for (const Known& known : kKnown) {
    if (known.name != operation->name()) continue;
    if (!operation->wrong().ok()) return operation->Fail(operation->wrong());
    if (operation->is_in_transaction() && !known.is_transactional) {
      return operation->Fail({ErrorCode::kInvalidOperation,
                              fmt::format("{} is never a part of a transaction", known.name)});
    }
    if (!IsAlwaysEmpty(operation->path())) return known.function(operation);
    if (known.finds) return operation->Nothing();
    return operation->Fail(
        {ErrorCode::kInvalidOperation, "a transfer dead-letter queue is always empty"});
  }
  operation->Fail({ErrorCode::kNotImplemented, fmt::format("$management knows no operation '{}'",
                                                           Shortened(operation->name(), 100))});
}

}  // namespace wharf::amqp
