#include "tests/scenarios/transcript.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "tests/harness/engine_harness.h"

namespace wharf {
namespace {

std::string TextOf(const PropertyValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? fmt::format("(type {})", value.index()) : QuotedValue(*text);
}

std::string_view VerbOf(ReturnCause cause) {
  switch (cause) {
    case ReturnCause::kAbandoned:
      return "MessageAbandoned";
    case ReturnCause::kLockExpired:
      return "LockExpired";
    case ReturnCause::kReleased:
      return "MessageReleased";
    case ReturnCause::kDeferred:
      return "MessageDeferred";
  }
  return "?";
}

}  // namespace

// One line for each change that a reader cares about.
class ChangePrinter {
 public:
  explicit ChangePrinter(Transcript& transcript) : transcript_(transcript) {}

  // What was created or updated stands in the command; the answer says that it worked.
  void operator()(const EntityCreated& change) {
    transcript_.entities_[change.record->id] = change.record->description.name;
  }
  void operator()(const EntityUpdated&) {}
  void operator()(const CountersChanged&) {}
  void operator()(const EntityFenced& change) {
    Print("EntityFenced {} {}", Name({change.entity, LaneKind::kMain}), change.reason);
  }
  void operator()(const EntityUnfenced& change) {
    Print("EntityUnfenced {}", Name({change.entity, LaneKind::kMain}));
  }
  void operator()(const RowsMended&) {}

  void operator()(const EntityDeleted& change) { Print("EntityDeleted {}", change.name); }
  // How far the sweeper came, and how the space is reclaimed, is no behaviour.
  void operator()(const DueHandled&) {}
  void operator()(const HintShared&) {}
  void operator()(const DueHintDropped&) {}
  void operator()(const SpanForgotten&) {}
  void operator()(const EventsLogged&) {}
  void operator()(const EventsDropped&) {}
  void operator()(const ShelfReclaimed&) {}
  void operator()(const ShelfReclaimFinished&) {}
  void operator()(const ScheduledReclaimed&) {}
  void operator()(const ScheduledReclaimFinished&) {}
  void operator()(const BodyChunkStored&) {}
  void operator()(const LooseBodyDropped&) {}
  void operator()(const EntityReclaimFinished&) {}
  // Which session may be the next is an index.
  void operator()(const SessionOffered&) {}
  void operator()(const SessionOfferWithdrawn&) {}
  void operator()(const MessageEnqueued& change) {
    Print("MessageEnqueued {} seq={}", Name(change.lane), change.message->number.value());
  }
  void operator()(const MessageLocked& change) {
    Print("MessageLocked {} seq={} token={} until={}", Name(change.lane), change.number.value(),
          transcript_.NameOf(change.token), TextOf(change.until));
  }
  void operator()(const LockRenewed& change) {
    Print("LockRenewed {} seq={} token={} until={}", Name(change.lane), change.number.value(),
          transcript_.NameOf(change.token), TextOf(change.until));
  }
  void operator()(const MessageCompleted& change) {
    Print("MessageCompleted {} seq={}", Name(change.lane), change.number.value());
  }
  void operator()(const MessageConsumed& change) {
    Print("MessageConsumed {} seq={}", Name(change.lane), change.number.value());
  }
  void operator()(const MessageReturned& change) {
    const auto& changed = change.delivery.changed_properties;
    Print("{} {} seq={} delivery-count={}{}", VerbOf(change.cause), Name(change.lane),
          change.number.value(), change.delivery.count, changed ? TextOf(*changed) : "");
  }
  void operator()(const MessageDelayed& change) {
    Print("{} {} seq={} delivery-count={} available-at={}", VerbOf(change.cause), Name(change.lane),
          change.number.value(), change.delivery.count, TextOf(change.available_at));
  }
  void operator()(const MessageDelayEnded& change) {
    Print("MessageDelayEnded {} seq={}", Name(change.lane), change.number.value());
  }
  void operator()(const MessageDeferred& change) {
    const auto& changed = change.delivery.changed_properties;
    Print("{} {} seq={} delivery-count={} deferred{}", VerbOf(change.cause), Name(change.lane),
          change.number.value(), change.delivery.count, changed ? TextOf(*changed) : "");
  }
  void operator()(const MessageUndeferred& change) {
    Print("MessageUndeferred {} seq={}", Name(change.lane), change.number.value());
  }
  void operator()(const MessageQuarantined& change) {
    Print("MessageQuarantined {} seq={}", Name(change.lane), change.number.value());
  }
  void operator()(const ScheduledQuarantined& change) {
    Print("ScheduledQuarantined {} scheduled-seq={} seq={}", Name(change.lane),
          change.scheduled_number.value(), change.number.value());
  }
  void operator()(const MessageRemoved& change) {
    const std::string_view verbs[] = {"MessageExpired", "MessageDeleted", "DuplicateDropped"};
    Print("{} {} seq={}", verbs[static_cast<std::size_t>(change.cause)], Name(change.lane),
          change.number.value());
  }
  void operator()(const MessagesExpired& change) {
    Print("MessagesExpired {} seq={}-{} count={}", Name(change.lane), change.first.value(),
          change.last.value(), change.count);
  }
  void operator()(const MessageScheduled& change) {
    Print("MessageScheduled {} seq={} time={}", Name({change.entity, LaneKind::kMain}),
          change.message->number.value(), TextOf(change.time));
  }
  void operator()(const MessageRescheduled& change) {
    Print("MessageRescheduled {} seq={} time={}", Name({change.entity, LaneKind::kMain}),
          change.message->number.value(), TextOf(change.time));
  }
  void operator()(const ScheduledCancelled& change) {
    Print("ScheduledCancelled {} seq={}", Name({change.entity, LaneKind::kMain}),
          change.number.value());
  }
  void operator()(const MessageActivated& change) {
    Print("MessageActivated {} scheduled-seq={} seq={}", Name(change.lane),
          change.scheduled_number.value(), change.message->number.value());
  }
  void operator()(const MessageIdRemembered& change) {
    Print("MessageIdRemembered {} id={} seq={} until={}", Name({change.entity, LaneKind::kMain}),
          QuotedValue(change.message_id), change.number.value(), TextOf(change.forget_after));
  }
  void operator()(const SessionLocked& change) {
    Print("SessionLocked {} session={} token={} until={}", Name({change.entity, LaneKind::kMain}),
          QuotedValue(change.session), transcript_.NameOf(change.row.token),
          TextOf(change.row.until));
  }
  void operator()(const SessionLockRenewed& change) {
    Print("SessionLockRenewed {} session={} until={}", Name({change.entity, LaneKind::kMain}),
          QuotedValue(change.session), TextOf(change.row.until));
  }
  void operator()(const SessionUnlocked& change) {
    Print("{} {} session={}",
          change.cause == SessionEndCause::kExpired ? "SessionLockExpired" : "SessionReleased",
          Name({change.entity, LaneKind::kMain}), QuotedValue(change.session));
  }
  void operator()(const SessionExpired& change) {
    Print("SessionExpired {} session={} through={}", Name({change.entity, LaneKind::kMain}),
          QuotedValue(change.session), change.row.expired_through.value());
  }
  void operator()(const SessionExpiryFinished&) {}
  void operator()(const SessionStateSet& change) {
    Print("SessionStateSet {} session={} state={}", Name({change.entity, LaneKind::kMain}),
          QuotedValue(change.session), change.state ? QuotedValue(*change.state) : "none");
  }
  void operator()(const MessageRedriven& change) {
    Print("MessageRedriven {} seq={} to {} seq={}", Name(change.from_lane),
          change.number_before.value(), Name(change.to_lane), change.message->number.value());
  }
  void operator()(const MessageForwarded& change) {
    Print("MessageForwarded {} seq={} to {} seq={}{}", Name(change.from_lane),
          change.number_before.value(), Name(change.to_lane), change.message->number.value(),
          change.scheduled_for ? fmt::format(" time={}", TextOf(*change.scheduled_for)) : "");
  }
  void operator()(const RuleAdded&) {}
  void operator()(const RuleRemoved&) {}
  void operator()(const AccessRuleSet&) {}
  void operator()(const AccessRuleRemoved&) {}
  void operator()(const MessagePublished& change) {
    std::string from;
    if (change.scheduled) {
      from = fmt::format(" scheduled-seq={}", change.scheduled->number.value());
    }
    if (change.origin) {
      from = fmt::format(" from {} seq={}", Name((*change.origin)->lane),
                         (*change.origin)->number.value());
    }
    Print("MessagePublished {} seq={} copies={}{}", Name({change.topic, LaneKind::kMain}),
          change.message->number.value(), change.copies, from);
  }
  void operator()(const MessageCopied& change) {
    Print("MessageCopied {} seq={}{}", Name(change.lane), change.message->number.value(),
          ReasonIn(*change.message));
  }
  void operator()(const SharedBodyReleased&) {}
  void operator()(const SharedBodyKept&) {}
  void operator()(const SharedBodyDropped& change) {
    Print("SharedBodyDropped bytes={}", change.body.size);
  }
  void operator()(const LanePurged& change) { Print("LanePurged {}", Name(change.shelf)); }
  void operator()(const ScheduledPurged& change) {
    Print("ScheduledPurged {}", Name({change.entity, LaneKind::kMain}));
  }
  void operator()(const JobChanged& change) {
    const JobRecord& job = *change.record;
    const std::string_view states[] = {"", "running", "completed", "cancelled", "failed"};
    Print("Job {} {} examined={} matched={} done={} left={}", job.id.value(),
          states[static_cast<std::size_t>(job.state)], job.looked_at, job.matched, job.done,
          job.left);
  }
  void operator()(const JobForgotten& change) { Print("JobForgotten {}", change.id.value()); }
  void operator()(const TransactionBegun& change) { Print("TransactionBegun {}", change.id); }
  void operator()(const TransactionEnded& change) {
    const TransactionRecord& record = change.record;
    if (record.state == TransactionState::kCommitted) {
      Print("TransactionCommitted {}", record.id);
    } else {
      Print("TransactionRolledBack {} reason={}", record.id, QuotedValue(record.reason));
    }
  }
  void operator()(const MessageDeadLettered& change) {
    Print("MessageDeadLettered {} seq={}{}", Name(change.from_lane), change.message->number.value(),
          ReasonIn(*change.message));
  }

 private:
  // Of a dead letter.
  static std::string ReasonIn(const StoredMessage& stored) {
    std::string reason;
    for (const auto& [name, value] : stored.message.application_properties) {
      if (name == kDeadLetterReason) reason = " reason=" + TextOf(value);
    }
    return reason;
  }

  std::string Name(const Shelf& shelf) const { return transcript_.NameOf(shelf.lane()); }

  template <typename... Parts>
  void Print(fmt::format_string<Parts...> format, Parts&&... parts) {
    transcript_.lines_.push_back(fmt::format(format, std::forward<Parts>(parts)...));
  }

  Transcript& transcript_;
};

void Transcript::OnChanges(const Changes& changes) {
  for (const Change& change : changes) std::visit(ChangePrinter(*this), change);
}

std::vector<std::string> Transcript::TakeLines() { return std::exchange(lines_, {}); }

std::string Transcript::NameOf(LaneId lane) const {
  std::string name = entities_.at(lane.entity);
  if (lane.kind == LaneKind::kDeadLetter) name += kDeadLetterSuffix;
  return name;
}

std::string Transcript::NameOf(const LockToken& token) {
  auto found = std::find(tokens_.begin(), tokens_.end(), token);
  if (found == tokens_.end()) found = tokens_.insert(tokens_.end(), token);
  return fmt::format("T{}", found - tokens_.begin() + 1);
}

LockToken Transcript::TokenNamed(const std::string& name) const {
  std::size_t place = 0;
  if (name.starts_with('T')) std::from_chars(name.data() + 1, name.data() + name.size(), place);
  return place >= 1 && place <= tokens_.size() ? tokens_[place - 1] : LockToken(1, 1);
}

std::string TextOf(Timestamp time) {
  if (time == kNever) return "never";
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(time - kHarnessStart).count();
  std::string text = fmt::format("{:02}:{:02}", milliseconds / 60000, milliseconds / 1000 % 60);
  if (milliseconds % 1000 != 0) text += fmt::format(".{:03}", milliseconds % 1000);
  return text;
}

std::string TextOf(const PropertyMap& properties) {
  std::string text;
  for (const auto& [name, value] : properties) {
    text += fmt::format(" property.{}={}", name, TextOf(value));
  }
  return text;
}

std::string QuotedValue(std::string_view value) {
  const bool needs_quotes = value.empty() || value.find(' ') != std::string_view::npos;
  return needs_quotes ? fmt::format("\"{}\"", value) : std::string(value);
}

}  // namespace wharf
