#include "tools/crash/amqp/amqp_words.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <variant>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/message/batch.h"
#include "broker/doors/amqp/message/sections.h"

namespace wharf::crash {
namespace {

using amqp::Symbol;
using amqp::TimestampMs;
using amqp::Value;

constexpr char kMark[] = "mark";
constexpr char kReason[] = "DeadLetterReason";
constexpr char kRedriveCount[] = "RedriveCount";
constexpr std::string_view kSessionFilter = "com.microsoft:session-filter";
constexpr std::string_view kLockedUntil = "com.microsoft:locked-until-utc";
// Of .NET, from its year 1 to 1970; ten million are a second.
constexpr std::int64_t kUnixTicks = 621'355'968'000'000'000;

Value Text(std::string_view text) { return Value(std::string(text)); }
Value Name(std::string_view text) { return Value(Symbol{std::string(text)}); }

void WriteData(amqp::Writer& writer, std::string_view bytes) {
  writer.BeginDescribed(amqp::descriptor::kData);
  writer.WriteBinary(bytes);
}

template <typename T>
std::string ValueMessage(const T& value) {
  std::string message;
  amqp::Writer writer(message);
  writer.BeginDescribed(amqp::descriptor::kAmqpValue);
  Write(writer, value);
  return message;
}

// 0 if there is none.
std::int64_t NumberOf(const amqp::Map& map, std::string_view key) {
  const Value* const found = map.FindString(key);
  const auto* const number = found == nullptr ? nullptr : found->As<std::int64_t>();
  return number == nullptr ? 0 : *number;
}

std::int64_t AnnotationOf(const amqp::Map& annotations, std::string_view key) {
  const Value* const found = annotations.FindSymbol(key);
  const auto* const number = found == nullptr ? nullptr : found->As<std::int64_t>();
  return number == nullptr ? 0 : *number;
}

Timestamp TimeIn(const amqp::Map& annotations, std::string_view key) {
  const Value* const found = annotations.FindSymbol(key);
  const auto* const time = found == nullptr ? nullptr : found->As<TimestampMs>();
  return time == nullptr ? Timestamp() : TimeOf(*time);
}

std::string MessageIdOf(const amqp::Properties& properties) {
  const auto* const id =
      properties.message_id ? std::get_if<std::string>(&*properties.message_id) : nullptr;
  return id == nullptr ? "" : *id;
}

// Of a GUID as .NET writes it, and back.
std::string Reordered(std::string_view bytes) {
  std::string token(bytes);
  if (token.size() != 16) return token;
  std::reverse(token.begin(), token.begin() + 4);
  std::reverse(token.begin() + 4, token.begin() + 6);
  std::reverse(token.begin() + 6, token.begin() + 8);
  return token;
}

// A uuid on the wire has the bytes in the order of RFC 4122, and means the same GUID.
amqp::Uuid UuidOf(const std::string& token) {
  amqp::Uuid uuid;
  std::memcpy(uuid.bytes.data(), token.data(), std::min(token.size(), uuid.bytes.size()));
  return uuid;
}

amqp::Array TokensAsArray(const std::vector<std::string>& tokens) {
  amqp::Array array{.descriptors = {}, .type = amqp::Type::kUuid, .items = {}};
  for (const std::string& token : tokens) array.items.emplace_back(UuidOf(token));
  return array;
}

std::string_view StatusWordOf(Verb verb) {
  if (verb == Verb::kAbandon) return "abandoned";
  if (verb == Verb::kDeadLetter) return "suspended";
  return verb == Verb::kDefer ? "defered" : "completed";
}

// With symbols for keys, as in an outcome, or with strings, as in a request.
amqp::Map MarkOf(std::int64_t mark, Value (*key)(std::string_view)) {
  amqp::Map map;
  if (mark != 0) map.Add(key(kMark), Value(mark));
  return map;
}

struct Condition {
  std::string_view name;
  ErrorCode code;
};
// The column "AMQP condition" of what may happen to the load.
constexpr std::array kConditions = {
    Condition{"amqp:not-found", ErrorCode::kMessagingEntityNotFound},
    Condition{"com.microsoft:message-lock-lost", ErrorCode::kMessageLockLost},
    Condition{"com.microsoft:session-lock-lost", ErrorCode::kSessionLockLost},
    Condition{"com.microsoft:session-cannot-be-locked", ErrorCode::kSessionCannotBeLocked},
    Condition{"com.microsoft:message-not-found", ErrorCode::kMessageNotFound},
    Condition{"amqp:link:message-size-exceeded", ErrorCode::kMessageSizeExceeded},
    Condition{"amqp:resource-limit-exceeded", ErrorCode::kQuotaExceeded},
    Condition{"com.microsoft:server-busy", ErrorCode::kServiceBusy},
    Condition{"com.microsoft:timeout", ErrorCode::kServiceTimeout},
    Condition{"amqp:connection:forced", ErrorCode::kServiceCommunicationProblem},
    Condition{"com.microsoft:partition-not-owned", ErrorCode::kPartitionNotOwned},
    Condition{"amqp:not-allowed", ErrorCode::kInvalidOperation},
    Condition{"amqp:transaction:unknown-id", ErrorCode::kTransactionUnknown},
    Condition{"amqp:transaction:timeout", ErrorCode::kTransactionAborted},
    Condition{"amqp:transaction:rollback", ErrorCode::kTransactionAborted},
};

// Of a node that does not lead any more it may be done all the same; and what nobody knows the
// outcome of has the same word.
Status StatusOf(std::string_view condition, const std::string& description) {
  const auto* const found =
      std::find_if(kConditions.begin(), kConditions.end(),
                   [&](const Condition& known) { return known.name == condition; });
  const ErrorCode code = found == kConditions.end() ? ErrorCode::kGeneralError : found->code;
  const bool may_be_done =
      code == ErrorCode::kPartitionNotOwned || code == ErrorCode::kServiceCommunicationProblem;
  return {code, std::string(condition) + ": " + description,
          may_be_done ? Outcome::kUnknown : Outcome::kNotDone};
}

}  // namespace

// --- messages

std::string EncodeMessage(const v1::Message& message) {
  std::string encoded;
  amqp::Writer writer(encoded);
  amqp::Properties properties;
  properties.message_id = message.message_id();
  if (!message.session_id().empty()) properties.group_id = message.session_id();
  Write(writer, properties);
  WriteData(writer, message.body());
  return encoded;
}

std::string EncodeBatch(const std::vector<v1::Message>& messages) {
  std::string batch;
  amqp::Writer writer(batch);
  for (const v1::Message& message : messages) WriteData(writer, EncodeMessage(message));
  return batch;
}

Result<DeliveryRecord> DecodeDelivery(std::string_view message, std::string_view tag) {
  const amqp::DecodeLimits limits;
  const auto sections = amqp::SplitSections(message, limits);
  if (!sections.ok()) return sections.status();
  const auto header = amqp::HeaderOf(sections->header, limits);
  if (!header.ok()) return header.status();
  const auto properties = amqp::PropertiesOf(sections->properties, limits);
  if (!properties.ok()) return properties.status();
  const auto annotations = amqp::MapOf(sections->message_annotations, limits);
  if (!annotations.ok()) return annotations.status();
  const auto own = amqp::MapOf(sections->application_properties, limits);
  if (!own.ok()) return own.status();
  const auto body = amqp::DataOf(sections->body, 1);
  if (!body.ok()) return body.status();

  DeliveryRecord delivery;
  // An id that none of ours has stands for what nobody sent.
  delivery.id = ParseMessageId(MessageIdOf(*properties)).value_or(MessageId{});
  delivery.body = DigestOf(body->empty() ? std::string_view() : body->front());
  delivery.session = properties->group_id.value_or("");
  delivery.delivery_count = header->delivery_count.value_or(0);
  delivery.sequence_number = AnnotationOf(*annotations, "x-opt-sequence-number");
  delivery.first_number = AnnotationOf(*annotations, "x-opt-enqueue-sequence-number");
  delivery.enqueued_at = TimeIn(*annotations, "x-opt-enqueued-time");
  delivery.locked_until = TimeIn(*annotations, "x-opt-locked-until");
  if (properties->absolute_expiry_time)
    delivery.expires_at = TimeOf(*properties->absolute_expiry_time);
  delivery.mark = NumberOf(*own, kMark);
  delivery.redrives = NumberOf(*own, kRedriveCount);
  if (const Value* const reason = own->FindString(kReason)) {
    if (const auto* const text = reason->As<std::string>()) delivery.reason = *text;
  }
  delivery.token = TokenOf(tag);
  return delivery;
}

std::string TokenOf(std::string_view tag) { return Reordered(tag); }

Timestamp TimeOf(TimestampMs time) { return Timestamp(std::chrono::milliseconds(time.ms)); }

// --- links

amqp::Attach SenderTo(const std::string& address) {
  amqp::Attach attach;
  attach.role = amqp::Role::kSender;
  attach.source.emplace();
  amqp::Target target;
  target.address = address;
  attach.target = std::move(target);
  return attach;
}

amqp::Attach ReceiverFrom(const std::string& address, Mode mode) {
  amqp::Attach attach;
  attach.role = amqp::Role::kReceiver;
  attach.source.emplace().address = address;
  attach.target = amqp::Target();
  if (mode == Mode::kReceiveAndDelete) attach.snd_settle_mode = amqp::SenderSettleMode::kSettled;
  return attach;
}

amqp::Attach SessionReceiverFrom(const std::string& address,
                                 const std::optional<std::string>& session, Duration wait) {
  amqp::Attach attach = ReceiverFrom(address, Mode::kPeekLock);
  attach.source->filter.emplace().Add(Name(kSessionFilter), session ? Text(*session) : Value());
  const auto ms = static_cast<std::uint32_t>(wait / std::chrono::milliseconds(1));
  attach.properties.emplace().Add(Name("com.microsoft:timeout"), Value(ms));
  return attach;
}

amqp::Attach ControlLink() {
  amqp::Attach attach;
  attach.role = amqp::Role::kSender;
  attach.source.emplace();
  attach.target = amqp::Coordinator();
  return attach;
}

std::optional<GotSession> SessionOf(const amqp::Attach& answer) {
  if (!answer.source || !answer.source->filter || !answer.properties) return std::nullopt;
  const Value* const id = answer.source->filter->FindSymbol(kSessionFilter);
  const Value* const until = answer.properties->FindSymbol(kLockedUntil);
  if (id == nullptr || until == nullptr) return std::nullopt;
  const auto* const text = id->As<std::string>();
  const auto* const ticks = until->As<std::int64_t>();
  if (text == nullptr || ticks == nullptr) return std::nullopt;
  return GotSession{*text, Timestamp(std::chrono::microseconds((*ticks - kUnixTicks) / 10))};
}

// --- outcomes

amqp::DeliveryState OutcomeOf(const Settling& settling, Timestamp now) {
  if (settling.verb == Verb::kComplete) return amqp::Accepted();
  if (settling.verb == Verb::kRelease) return amqp::Released();
  if (settling.verb == Verb::kDeadLetter) {
    amqp::Error error;
    error.condition.text = "com.microsoft:dead-letter";
    error.info = MarkOf(settling.mark, Name);
    error.info->Add(Name(kReason), Text("drawn by lot"));
    return amqp::Rejected{std::move(error)};
  }
  amqp::Modified modified;
  modified.delivery_failed = true;
  if (settling.verb == Verb::kDefer) modified.undeliverable_here = true;
  amqp::Map changes = MarkOf(settling.mark, Name);
  if (settling.delay > Duration(0)) {
    const Timestamp until = now + settling.delay;
    changes.Add(Name("x-opt-delivery-time"),
                Value(TimestampMs{until.time_since_epoch() / std::chrono::milliseconds(1)}));
  }
  if (!changes.entries.empty()) modified.message_annotations = std::move(changes);
  return modified;
}

amqp::DeliveryState InTransaction(const std::string& id, std::optional<amqp::Outcome> outcome) {
  return amqp::TransactionalState{.txn_id = {id}, .outcome = std::move(outcome)};
}

// A dead-lettering is answered by a rejected without an error.
Result<amqp::DeliveryState> AnswerOf(const amqp::DeliveryState& state) {
  const amqp::Rejected* rejected = std::get_if<amqp::Rejected>(&state);
  const auto* const in = std::get_if<amqp::TransactionalState>(&state);
  if (in != nullptr && in->outcome) rejected = std::get_if<amqp::Rejected>(&*in->outcome);
  if (rejected == nullptr || !rejected->error) return state;
  return StatusOfError(*rejected->error);
}

Status StatusOfError(const amqp::Error& error) {
  return StatusOf(error.condition.text, error.description.value_or(""));
}

// --- transactions

std::string DeclareMessage() { return ValueMessage(amqp::Declare()); }

std::string DischargeMessage(const std::string& id, bool fails) {
  return ValueMessage(amqp::Discharge{.txn_id = {id}, .fail = fails});
}

// --- requests

amqp::Map DispositionOf(const Settling& settling, const std::vector<std::string>& tokens) {
  amqp::Map body;
  body.Add(Text("disposition-status"), Text(StatusWordOf(settling.verb)));
  body.Add(Text("lock-tokens"), Value(TokensAsArray(tokens)));
  if (settling.verb == Verb::kDeadLetter) {
    body.Add(Text("deadletter-reason"), Text("drawn by lot"));
  }
  if (settling.mark != 0) {
    body.Add(Text("properties-to-modify"), Value(MarkOf(settling.mark, Text)));
  }
  return body;
}

amqp::Map TokensToRenew(const std::string& token) {
  amqp::Map body;
  body.Add(Text("lock-tokens"), Value(TokensAsArray({token})));
  return body;
}

std::string EncodeRequest(const std::string& reply_to, std::string_view operation,
                          const amqp::Map& body) {
  std::string message;
  amqp::Writer writer(message);
  amqp::Properties properties;
  properties.message_id = std::string("request");
  properties.reply_to = reply_to;
  Write(writer, properties);
  amqp::Map said;
  said.Add(Text("operation"), Text(operation));
  writer.BeginDescribed(amqp::descriptor::kApplicationProperties);
  writer.Write(said);
  writer.BeginDescribed(amqp::descriptor::kAmqpValue);
  writer.Write(body);
  return message;
}

Result<amqp::Map> DecodeReply(std::string_view message) {
  const amqp::DecodeLimits limits;
  const auto sections = amqp::SplitSections(message, limits);
  if (!sections.ok()) return sections.status();
  const auto said = amqp::MapOf(sections->application_properties, limits);
  if (!said.ok()) return said.status();
  const Value* const number = said->FindString("statusCode");
  const auto* const code = number == nullptr ? nullptr : number->As<std::int32_t>();
  if (code == nullptr) return Status(ErrorCode::kGeneralError, "a reply says no statusCode");
  if (*code >= 300) {
    const Value* const condition = said->FindString("errorCondition");
    const auto* const name = condition == nullptr ? nullptr : condition->As<Symbol>();
    const Value* const description = said->FindString("statusDescription");
    const auto* const text = description == nullptr ? nullptr : description->As<std::string>();
    return StatusOf(name == nullptr ? "" : name->text, text == nullptr ? "" : *text);
  }
  amqp::Reader reader(sections->body, limits);
  Value value;
  reader.EnterDescribed();
  std::uint64_t descriptor = 0;
  reader.Read(descriptor);
  reader.Read(value);
  reader.LeaveDescribed();
  const auto* const body = value.As<amqp::Map>();
  return reader.ok() && body != nullptr ? *body : amqp::Map();
}

}  // namespace wharf::crash
