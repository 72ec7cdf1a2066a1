#include "tests/scenarios/stage.h"

#include <map>
#include <sstream>
#include <stdexcept>

#include <fmt/core.h>

#include "tests/scenarios/arguments.h"

namespace wharf {
namespace {

std::string DeviationsOf(const QueueDescription& queue) {
  std::string text;
  for (const QueueProperty& property : QueueProperties()) {
    const std::string value = property.get(queue);
    if (value != property.get(QueueDescription())) {
      text += fmt::format(" {}={}", property.name, QuotedValue(value));
    }
  }
  return queue.name + (text.empty() ? " defaults" : text);
}

std::string ShownText(const StoredMessage& stored, const Delivery& delivery) {
  constexpr std::size_t kShownMax = 40;
  const Message& message = stored.message;
  std::string text = fmt::format("seq={} delivery-count={} enqueued={}", stored.number.value(),
                                 delivery.count, TextOf(stored.enqueued_at));
  text += message.body.size() > kShownMax ? fmt::format(" body-bytes={}", message.body.size())
                                          : " body=" + QuotedValue(message.body);
  for (const MessageProperty& property : MessageProperties()) {
    const auto& value = message.*property.field;
    if (value) text += fmt::format(" {}={}", property.name, QuotedValue(*value));
  }
  if (stored.enqueued_number != SequenceNumber()) {
    text += fmt::format(" enqueued-seq={}", stored.enqueued_number.value());
  }
  if (!stored.dead_letter_source.empty()) {
    text += " dead-letter-source=" + QuotedValue(stored.dead_letter_source);
  }
  if (stored.facts.expires_at != kNever) {
    text += fmt::format(" expires={}", TextOf(stored.facts.expires_at));
  }
  PropertyMap properties = message.application_properties;
  if (delivery.changed_properties) Merge(properties, *delivery.changed_properties);
  return text + TextOf(properties);
}

// Times are told as those of the transcript are: since the start.
void SetTimes(const Command& command, Message& message) {
  if (const auto life = command.Find("time-to-live")) message.time_to_live = DurationOf(*life);
  if (const auto time = command.Find("scheduled")) {
    message.scheduled_enqueue_time = kHarnessStart + DurationOf(*time);
  }
}

std::vector<std::uint64_t> NumbersOf(const Command& command) {
  std::vector<std::uint64_t> numbers;
  std::istringstream texts(command.Find("seq").value_or(""));
  for (std::string text; std::getline(texts, text, ',');) numbers.push_back(std::stoull(text));
  return numbers;
}

PeekFilter FilterOf(const Command& command) {
  static const std::map<std::string, PeekFilter> kFilters = {{"all", PeekFilter::kAll},
                                                             {"active", PeekFilter::kActive},
                                                             {"delayed", PeekFilter::kDelayed},
                                                             {"deferred", PeekFilter::kDeferred},
                                                             {"scheduled", PeekFilter::kScheduled}};
  return kFilters.at(command.Find("state").value_or("all"));
}

// What an application sees; active is not said.
std::string StateOf(const PeekedMessage& peeked) {
  if (peeked.is_scheduled) return "scheduled ";
  if (peeked.standing == Standing::kDeferred) return "deferred ";
  if (peeked.standing == Standing::kDelayed) {
    return fmt::format("available-at={} ", TextOf(peeked.available_at));
  }
  return "";
}

std::vector<std::string> Refusal(const Status& status) {
  if (status.ok()) return {};
  return {status.ToString()};
}

// The token's place in the list is told where there are several.
template <typename ResultOf>
std::vector<std::string> RefusalsOf(std::size_t count, ResultOf result_of) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < count; ++i) {
    const Status status = result_of(i);
    if (status.ok()) continue;
    lines.push_back(count == 1 ? status.ToString()
                               : fmt::format("token {}: {}", i + 1, status.ToString()));
  }
  return lines;
}

}  // namespace

EntityKind KindOf(const std::string& path) {
  return SplitSubscriptionPath(path).name.empty() ? EntityKind::kQueue : EntityKind::kSubscription;
}

Stage::Stage() : engine_({.listener = &transcript_}) {}

std::vector<std::string> Stage::Play(const Command& command) {
  using Act = Lines (Stage::*)(const Command&);
  static const std::map<std::string, Act> kActs = {
      {"create-queue", &Stage::CreateQueue},
      {"update-queue", &Stage::UpdateQueue},
      {"delete-queue", &Stage::DeleteQueue},
      {"list-queues", &Stage::ListQueues},
      {"create-topic", &Stage::CreateTopic},
      {"update-topic", &Stage::UpdateTopic},
      {"delete-topic", &Stage::DeleteTopic},
      {"show-topic", &Stage::ShowTopic},
      {"create-subscription", &Stage::CreateSubscription},
      {"update-subscription", &Stage::UpdateSubscription},
      {"delete-subscription", &Stage::DeleteSubscription},
      {"add-rule", &Stage::AddRule},
      {"remove-rule", &Stage::RemoveRule},
      {"list-rules", &Stage::ListRules},
      {"describe", &Stage::Describe},
      {"show", &Stage::Show},
      {"send", &Stage::Send},
      {"receive", &Stage::Receive},
      {"peek", &Stage::Peek},
      {"complete", &Stage::Complete},
      {"abandon", &Stage::Abandon},
      {"dead-letter", &Stage::DeadLetter},
      {"release", &Stage::Release},
      {"renew", &Stage::Renew},
      {"accept-session", &Stage::AcceptSession},
      {"renew-session", &Stage::RenewSession},
      {"release-session", &Stage::ReleaseSession},
      {"force-release-session", &Stage::ForceReleaseSession},
      {"set-session-state", &Stage::SetState},
      {"get-session-state", &Stage::GetState},
      {"list-sessions", &Stage::ListSessions},
      {"defer", &Stage::Defer},
      {"receive-deferred", &Stage::ReceiveDeferred},
      {"undefer", &Stage::Undefer},
      {"receive-one", &Stage::ReceiveOne},
      {"complete-one", &Stage::CompleteOne},
      {"dead-letter-one", &Stage::DeadLetterOne},
      {"delete-messages", &Stage::DeleteMessages},
      {"purge", &Stage::Purge},
      {"cancel-scheduled", &Stage::CancelScheduled},
      {"reschedule", &Stage::Reschedule},
      {"activate-scheduled", &Stage::ActivateScheduled},
      {"list-scheduled", &Stage::ListScheduled},
      {"redrive", &Stage::Redrive},
      {"delete-selected", &Stage::DeleteSelected},
      {"cancel-job", &Stage::CancelJob},
      {"begin-transaction", &Stage::BeginTransaction},
      {"run-transaction", &Stage::RunTransaction},
      {"commit", &Stage::CommitTransaction},
      {"roll-back", &Stage::RollBackTransaction},
      {"show-transaction", &Stage::ShowTransaction},
      {"advance", &Stage::Advance},
      {"restart", &Stage::Restart},
  };
  const auto act = kActs.find(command.verb);
  if (act == kActs.end()) throw std::runtime_error("there is no command " + command.verb);
  const bool is_part = command.Has("in") || command.Has("run");
  const Lines answer = is_part ? AddToTransaction(command) : (this->*act->second)(command);
  Lines lines = transcript_.TakeLines();
  lines.insert(lines.end(), answer.begin(), answer.end());
  if (lines.empty()) lines.emplace_back("ok");
  return lines;
}

Stage::Lines Stage::CreateQueue(const Command& command) {
  return Refusal(engine_.CreateQueue(DescriptionOf(command)));
}

Stage::Lines Stage::UpdateQueue(const Command& command) {
  return Refusal(engine_.UpdateQueue(DescriptionOf(command)));
}

Stage::Lines Stage::DeleteQueue(const Command& command) {
  return Refusal(engine_.DeleteQueue(command.path));
}

Stage::Lines Stage::ListQueues(const Command&) {
  const auto page = engine_.Await<QueuePage>([this](Answer<QueuePage> answer) {
    engine_.broker().ListQueues("", 100, std::move(answer));
  });
  if (!page.ok()) return Refusal(page.status());
  Lines lines;
  for (const QueueSnapshot& queue : page->queues) lines.push_back(queue.record.description.name);
  if (lines.empty()) lines.emplace_back("nothing");
  return lines;
}

Stage::Lines Stage::Describe(const Command& command) {
  const Result<QueueSnapshot> queue = engine_.Get(KindOf(command.path), command.path);
  if (!queue.ok()) return Refusal(queue.status());
  return {DeviationsOf(queue->record.description)};
}

Stage::Lines Stage::Show(const Command& command) {
  const Result<QueueSnapshot> queue = engine_.Get(KindOf(command.path), command.path);
  if (!queue.ok()) return Refusal(queue.status());
  if (command.Has("times")) {
    return {fmt::format("created={} updated={} accessed={}", TextOf(queue->record.created_at),
                        TextOf(queue->record.updated_at), TextOf(queue->main.accessed_at))};
  }
  const std::int64_t active = queue->main.messages();
  const std::int64_t dead = queue->dead_letter.messages();
  const std::int64_t scheduled = queue->main.scheduled;
  std::string text = fmt::format("active={} locked={}", active, queue->main.locked);
  if (queue->main.deferred > 0) text += fmt::format(" deferred={}", queue->main.deferred);
  if (queue->main.delayed > 0) text += fmt::format(" delayed={}", queue->main.delayed);
  text += fmt::format(" dead-letter={}", dead);
  if (scheduled > 0) text += fmt::format(" scheduled={}", scheduled);
  return {text + fmt::format(" total={} bytes={}", active + dead + scheduled,
                             queue->main.bytes + queue->main.scheduled_bytes +
                                 queue->main.session_state_bytes + queue->dead_letter.bytes)};
}

Stage::Lines Stage::Send(const Command& command) {
  std::vector<Message> messages(NumberOf(command, "count", 1), MessageOf(command));
  for (Message& message : messages) SetTimes(command, message);
  const Result<SendReceipt> receipt = engine_.Send(command.path, messages, command.Has("atomic"));
  if (!receipt.ok()) return Refusal(receipt.status());
  Lines lines;
  for (std::size_t i = 0; i < receipt->size(); ++i) {
    const auto& result = (*receipt)[i];
    if (result.ok() && result->is_duplicate) {
      lines.push_back(fmt::format("duplicate-of={}", result->number.value()));
    }
    if (result.ok()) continue;
    lines.push_back(fmt::format("message {}: {}", i + 1, result.status().ToString()));
  }
  return lines;
}

Stage::Lines Stage::Receive(const Command& command) {
  const Result<std::vector<Delivered>> received = engine_.Receive(
      command.path, NumberOf(command, "count", 1), ModeOf(command), SessionOf(command));
  if (!received.ok()) return Refusal(received.status());
  return ShowDelivered(command, *received);
}

Stage::Lines Stage::ShowDelivered(const Command& command, const std::vector<Delivered>& received) {
  if (received.empty()) return {"nothing"};
  Lines lines;
  for (const Delivered& delivered : received) {
    if (command.Has("shown")) lines.push_back(ShownText(*delivered.message, delivered.delivery));
  }
  return lines;
}

Stage::Lines Stage::Peek(const Command& command) {
  const Result<PeekPage> page = engine_.Peek(
      command.path, NumberOf(command, "from", 0), NumberOf(command, "count", 250),
      FilterOf(command), command.Find("session-id"), command.Find("filter").value_or(""));
  if (!page.ok()) return Refusal(page.status());
  Lines lines;
  for (const PeekedMessage& peeked : page->messages) {
    lines.push_back(StateOf(peeked) + ShownText(*peeked.message, peeked.delivery));
  }
  if (page->next) lines.push_back(fmt::format("next={}", page->next->value()));
  if (lines.empty()) lines.emplace_back("nothing");
  return lines;
}

TokenList Stage::TokensOf(const Command& command) const {
  TokenList tokens;
  std::istringstream names(command.Find("token").value_or(""));
  for (std::string name; std::getline(names, name, ',');) {
    tokens.emplace_back(transcript_.TokenNamed(name));
  }
  return tokens;
}

std::optional<LockToken> Stage::SessionOf(const Command& command) const {
  const auto name = command.Find("session");
  return name ? std::optional(transcript_.TokenNamed(*name)) : std::nullopt;
}

Stage::Lines Stage::AcceptSession(const Command& command) {
  return Refusal(engine_.AcceptSession(command.path, command.Find("session-id")).status());
}

Stage::Lines Stage::RenewSession(const Command& command) {
  return Refusal(engine_.RenewSession(command.path, *SessionOf(command)).status());
}

Stage::Lines Stage::ReleaseSession(const Command& command) {
  return Refusal(engine_.ReleaseSession(command.path, *SessionOf(command)));
}

Stage::Lines Stage::ForceReleaseSession(const Command& command) {
  return Refusal(
      engine_.ForceReleaseSession(command.path, command.Find("session-id").value_or("")));
}

Stage::Lines Stage::SetState(const Command& command) {
  std::optional<std::string> state = command.Find("state");
  if (command.Has("bytes")) state = std::string(NumberOf(command, "bytes", 0), 'x');
  return Refusal(
      engine_.SetSessionState(command.path, *SessionOf(command), state, TokensOf(command)));
}

Stage::Lines Stage::GetState(const Command& command) {
  const auto state = engine_.GetSessionState(command.path, *SessionOf(command));
  if (!state.ok()) return Refusal(state.status());
  return {*state ? "state=" + QuotedValue(**state) : "no state"};
}

Stage::Lines Stage::ListSessions(const Command& command) {
  ListSessionsRequest request{.entity = {command.path},
                              .after = command.Find("after"),
                              .count_max = NumberOf(command, "count", 100)};
  if (const auto since = command.Find("since")) {
    request.state_updated_since = kHarnessStart + DurationOf(*since);
  }
  const auto page = engine_.ListSessions(std::move(request));
  if (!page.ok()) return Refusal(page.status());
  Lines lines;
  for (const SessionInfo& session : page->sessions) {
    std::string line = fmt::format("{} messages={}", QuotedValue(session.id), session.messages);
    if (session.oldest_number) {
      line += fmt::format(" oldest={} since={}", session.oldest_number->value(),
                          TextOf(session.oldest_enqueued_at));
    }
    if (session.locked_until != kNever) {
      line += fmt::format(" locked-since={} until={}", TextOf(session.locked_since),
                          TextOf(session.locked_until));
    }
    if (session.state_updated_at) {
      line += fmt::format(" state={} updated={}", session.state_bytes,
                          TextOf(*session.state_updated_at));
    }
    lines.push_back(std::move(line));
  }
  if (page->next_after) lines.push_back("next-after=" + QuotedValue(*page->next_after));
  if (lines.empty()) lines.emplace_back("nothing");
  return lines;
}

Stage::Lines Stage::Settle(const Command& command, Settlement settlement) {
  settlement.properties_to_modify = PropertiesOf(command);
  const auto receipt = engine_.Await<SettleReceipt>([&](Answer<SettleReceipt> answer) {
    engine_.broker().Settle(command.path, TokensOf(command), settlement, std::move(answer));
  });
  if (!receipt.ok()) return Refusal(receipt.status());
  return RefusalsOf(receipt->size(), [&](std::size_t i) { return (*receipt)[i]; });
}

Stage::Lines Stage::Complete(const Command& command) {
  return Settle(command, {.verb = SettleVerb::kComplete});
}

Stage::Lines Stage::Abandon(const Command& command) {
  Settlement settlement{.verb = SettleVerb::kAbandon};
  if (const auto delay = command.Find("delay")) settlement.delay = DurationOf(*delay);
  if (const auto until = command.Find("until")) {
    settlement.delay_until = kHarnessStart + DurationOf(*until);
  }
  return Settle(command, std::move(settlement));
}

Stage::Lines Stage::DeadLetter(const Command& command) {
  return Settle(command, {.verb = SettleVerb::kDeadLetter,
                          .reason = command.Find("reason"),
                          .description = command.Find("description")});
}

Stage::Lines Stage::Release(const Command& command) {
  return Settle(command, {.verb = SettleVerb::kRelease});
}

Stage::Lines Stage::Renew(const Command& command) {
  const auto receipt = engine_.Await<RenewReceipt>([&](Answer<RenewReceipt> answer) {
    engine_.broker().RenewLock(command.path, TokensOf(command), std::move(answer));
  });
  if (!receipt.ok()) return Refusal(receipt.status());
  return RefusalsOf(receipt->size(), [&](std::size_t i) { return (*receipt)[i].status(); });
}

Stage::Lines Stage::Defer(const Command& command) {
  return Settle(command, {.verb = SettleVerb::kDefer});
}

Stage::Lines Stage::ReceiveDeferred(const Command& command) {
  const auto received = engine_.ReceiveDeferred(command.path, NumbersOf(command), ModeOf(command),
                                                SessionOf(command));
  if (!received.ok()) return Refusal(received.status());
  return ShowDelivered(command, *received);
}

Stage::Lines Stage::Undefer(const Command& command) {
  return Refusal(engine_.Undefer(command.path, NumbersOf(command)));
}

Stage::Lines Stage::ReceiveOne(const Command& command) {
  const auto received = engine_.ReceiveOne(command.path, NumberOf(command, "seq", 0),
                                           ModeOf(command), SessionOf(command));
  if (!received.ok()) return Refusal(received.status());
  return ShowDelivered(command, {*received});
}

Stage::Lines Stage::CompleteOne(const Command& command) {
  return Refusal(engine_.SettleOne(command.path, NumberOf(command, "seq", 0),
                                   {.verb = SettleVerb::kComplete}));
}

Stage::Lines Stage::DeadLetterOne(const Command& command) {
  return Refusal(engine_.SettleOne(command.path, NumberOf(command, "seq", 0),
                                   {.verb = SettleVerb::kDeadLetter,
                                    .properties_to_modify = PropertiesOf(command),
                                    .reason = command.Find("reason"),
                                    .description = command.Find("description")}));
}

Stage::Lines Stage::DeleteMessages(const Command& command) {
  const auto before = command.Find("before");
  const auto deleted =
      engine_.DeleteOldest(command.path, NumberOf(command, "count", 4000),
                           before ? kHarnessStart + DurationOf(*before) : engine_.clock().Now());
  if (!deleted.ok()) return Refusal(deleted.status());
  return {fmt::format("deleted={}", *deleted)};
}

Stage::Lines Stage::Purge(const Command& command) {
  const auto purged = engine_.Purge(command.path, command.Has("include-scheduled"));
  if (!purged.ok()) return Refusal(purged.status());
  return {fmt::format("purged={}", *purged)};
}

Stage::Lines Stage::CancelScheduled(const Command& command) {
  return Refusal(engine_.CancelScheduled(command.path, NumbersOf(command)));
}

Stage::Lines Stage::Reschedule(const Command& command) {
  return Refusal(engine_.Reschedule(command.path, NumbersOf(command),
                                    kHarnessStart + DurationOf(*command.Find("time"))));
}

Stage::Lines Stage::ActivateScheduled(const Command& command) {
  return Refusal(engine_.ActivateScheduled(command.path, NumbersOf(command)).status());
}

Stage::Lines Stage::ListScheduled(const Command& command) {
  const auto page = engine_.ListScheduled(command.path);
  if (!page.ok()) return Refusal(page.status());
  Lines lines;
  for (const MessagePtr& message : page->messages) {
    lines.push_back(fmt::format("seq={} time={}", message->number.value(),
                                TextOf(*message->message.scheduled_enqueue_time)));
  }
  if (lines.empty()) lines.emplace_back("nothing");
  return lines;
}

Stage::Lines Stage::Redrive(const Command& command) { return Begin(command, JobVerb::kRedrive); }

Stage::Lines Stage::DeleteSelected(const Command& command) {
  return Begin(command, JobVerb::kDeleteMessages);
}

Stage::Lines Stage::Begin(const Command& command, JobVerb verb) {
  JobOrder order{.verb = verb,
                 .path = command.path,
                 .target = command.Find("target").value_or(""),
                 .rate_max = static_cast<std::uint32_t>(NumberOf(command, "rate", 0)),
                 .is_dry_run = command.Has("dry-run")};
  order.selection.dead_letter_reason = command.Find("reason");
  order.selection.sql_filter = command.Find("filter").value_or("");
  for (const std::uint64_t number : NumbersOf(command)) {
    order.selection.numbers.emplace_back(number);
  }
  if (const auto before = command.Find("before")) {
    order.selection.enqueued_before = kHarnessStart + DurationOf(*before);
  }
  return Refusal(engine_.BeginJob(order).status());
}

Stage::Lines Stage::CancelJob(const Command& command) {
  const auto job = engine_.Await<JobRecord>([&](Answer<JobRecord> answer) {
    engine_.broker().CancelJob(JobId(NumberOf(command, "id", 0)), std::move(answer));
  });
  return Refusal(job.status());
}

// The time to go stands where other commands have their path.
Stage::Lines Stage::Advance(const Command& command) {
  engine_.Advance(DurationOf(command.path));
  return {};
}

// Down for so long; or the wall clock was set back meanwhile.
Stage::Lines Stage::Restart(const Command& command) {
  engine_.clock().Advance(DurationOf(command.Find("down").value_or("0s")));
  engine_.clock().Advance(-DurationOf(command.Find("set-back").value_or("0s")));
  engine_.Restart();
  return {};
}

}  // namespace wharf
