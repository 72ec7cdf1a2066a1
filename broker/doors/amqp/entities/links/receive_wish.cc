#include "broker/doors/amqp/entities/links/receive_wish.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "broker/doors/amqp/entities/jms/subscription_wish.h"
#include "broker/doors/amqp/entities/management/number_of.h"

namespace wharf::amqp {
namespace {

constexpr std::string_view kTimeout = "com.microsoft:timeout";
constexpr std::string_view kLockedUntil = "com.microsoft:locked-until-utc";
constexpr std::chrono::milliseconds kWaitUnsaid{65'000};
// Longer ones are no times that anybody means.
constexpr std::chrono::milliseconds kWaitMax{std::chrono::hours(24)};
// Before the client's own time is over it should have an answer.
constexpr std::chrono::milliseconds kAnswerMax{5'000};
// The broker waits no longer, and refuses who asks it to.
constexpr std::chrono::milliseconds kBrokerWaitMax{std::chrono::minutes(5)};
constexpr std::int64_t kUnixTicks = 621'355'968'000'000'000;

std::chrono::milliseconds WaitOf(const Attach& attach) {
  const Value* const said =
      attach.properties.has_value() ? attach.properties->FindSymbol(kTimeout) : nullptr;
  const std::optional<std::int64_t> ms = said == nullptr ? std::nullopt : NumberOf(*said);
  if (!ms.has_value() || *ms < 0 || *ms > kWaitMax.count()) return kWaitUnsaid;
  const std::chrono::milliseconds whole(*ms);
  return std::min(whole - std::min(whole / 10, kAnswerMax), kBrokerWaitMax);
}

Status TakeFilter(const MapEntry& entry, const Attach& attach, ReceiveWish& wish) {
  const auto* const key = entry.key.As<Symbol>();
  if (key == nullptr || key->text != kSessionFilter) {
    return {ErrorCode::kNotImplemented, "of filters of a link that of sessions is known only"};
  }
  const auto* const id = entry.value.As<std::string>();
  if (id == nullptr && entry.value.As<Null>() == nullptr) {
    return {ErrorCode::kArgumentError, "the filter of sessions is an id, or null for the next one"};
  }
  SessionChoice choice{.id = std::nullopt, .wait = WaitOf(attach), .held_by = HeldBy::kLink};
  if (id != nullptr) choice.id = *id;
  wish.session = std::move(choice);
  return {};
}

}  // namespace

// A browser of JMS comes settled: what it was shown would be gone.
Result<ReceiveWish> WishOf(const LinkNode& node, const Attach& attach) {
  if (WantsToBrowse(attach)) {
    return Status(ErrorCode::kNotImplemented,
                  "distribution-mode copy: only queues are browsed so, and where wharfd has --jms; "
                  "$management peeks everywhere");
  }
  ReceiveWish wish{.path = node.path};
  if (node.kind == NodeKind::kTransferDeadLetter) {
    wish.path += "/$DeadLetterQueue";
    wish.is_always_empty = true;
  }
  if (attach.snd_settle_mode == SenderSettleMode::kSettled) {
    wish.mode = ReceiveMode::kReceiveAndDelete;
  }
  if (!attach.source.has_value() || !attach.source->filter.has_value()) return wish;
  for (const MapEntry& entry : attach.source->filter->entries) {
    WHARF_RETURN_IF_ERROR(TakeFilter(entry, attach, wish));
  }
  return wish;
}

void TellSession(const AcceptedSession& session, Attach& answer) {
  Map filter;
  filter.Add(Value(Symbol{std::string(kSessionFilter)}), Value(std::string(session.id)));
  answer.source->filter = std::move(filter);
  const auto until =
      std::chrono::floor<std::chrono::milliseconds>(session.until.time_since_epoch()).count();
  if (!answer.properties.has_value()) answer.properties.emplace();
  answer.properties->Add(Value(Symbol{std::string(kLockedUntil)}),
                         Value(static_cast<std::int64_t>(until * 10'000 + kUnixTicks)));
}

}  // namespace wharf::amqp
