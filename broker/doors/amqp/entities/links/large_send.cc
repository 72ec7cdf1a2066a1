#include "broker/doors/amqp/entities/links/large_send.h"

#include <algorithm>
#include <utility>

#include "broker/doors/amqp/jms/delivery_time.h"
#include "broker/doors/amqp/mapping/incoming.h"
#include "broker/doors/amqp/message/sections.h"

namespace wharf::amqp {
namespace {

constexpr DecodeLimits kLargeLimits{};
// What the broker stores at a time, and what an upload gathers until then.
constexpr std::size_t kRowBytes = std::size_t{256} << 10;
constexpr std::size_t kFooterBytesMax = std::size_t{64} << 10;

// Stands for the body where the sections around it are looked at.
using std::string_view_literals::operator""sv;
constexpr std::string_view kNoData = "\x00\x53\x75\xa0\x00"sv;

Status Small() { return {ErrorCode::kArgumentOutOfRange, "the message is not large"}; }

bool IsKept(const BodyHead& body) { return body.kind == BodyKind::kValue || !body.is_usual; }

wharf::BodyKind KindOf(const BodyHead& body) {
  if (body.kind == BodyKind::kValue) return wharf::BodyKind::kValue;
  return body.is_usual ? wharf::BodyKind::kData : wharf::BodyKind::kDataSections;
}

// With the beginnings of all of its sections.
wharf::BodyKind WholeKindOf(BodyKind kind) {
  switch (kind) {
    case BodyKind::kData:
      return wharf::BodyKind::kDataSections;
    case BodyKind::kSequence:
      return wharf::BodyKind::kSequence;
    case BodyKind::kValue:
      return wharf::BodyKind::kValue;
  }
  return wharf::BodyKind::kValue;
}

// Of a body whose head is kept, that as well.
std::optional<std::uint64_t> BytesOf(const std::optional<BodyHead>& body) {
  if (!body.has_value()) return std::nullopt;
  return body->content_bytes + (IsKept(*body) ? body->head_bytes : 0);
}

Result<Message> Around(std::string_view head, std::string_view tail) {
  std::string around(head);
  around += kNoData;
  around += tail;
  Result<Sections> sections = SplitSections(around, kLargeLimits);
  if (!sections.ok()) return sections.status();
  if (sections->body_sections > 1) {
    return Status(ErrorCode::kMessageSizeExceeded,
                  "a body of several sections whose first one is over 1 MiB");
  }
  sections->body = {};
  return MessageOf(*sections, kLargeLimits);
}

}  // namespace

Result<std::optional<LargeSend::Begun>> LargeSend::ReadBegin(std::string_view begin) {
  const Result<std::optional<Head>> head = SplitHead(begin, kLargeLimits);
  if (!head.ok()) return head.status();
  if (!head->has_value()) return std::optional<Begun>();
  const std::size_t body_at = (*head)->body_at;
  const Result<std::optional<BodyHead>> body = ReadBodyHead(begin.substr(body_at), kLargeLimits);
  if (!body.ok()) return body.status();
  if (!body->has_value()) return std::optional<Begun>();
  // Another section may follow one that may be held.
  if ((*body)->content_bytes <= kHeldBodyBytesMax) return Small();
  Result<Message> message = Around(begin.substr(0, body_at), {});
  if (!message.ok()) return message.status();
  return std::optional(Begun{*std::move(message), **body, KindOf(**body), body_at});
}

Result<LargeSend::Begun> LargeSend::ReadOpenBegin(std::string_view begin) {
  const Result<std::optional<Head>> head = SplitHead(begin, kLargeLimits);
  if (!head.ok()) return head.status();
  if (!head->has_value()) {
    return Status(ErrorCode::kMessageSizeExceeded, "over 1 MiB stands before the body");
  }
  Result<Message> message = Around(begin.substr(0, (*head)->body_at), {});
  if (!message.ok()) return message.status();
  return Begun{.message = *std::move(message),
               .kind = WholeKindOf((*head)->sections.body_kind),
               .body_at = (*head)->body_at};
}

std::size_t LargeSend::HeldBytesOf(const Begun& begun) {
  return begun.body_at + (begun.body.has_value() ? kRowBytes : kHeldBodyBytesMax);
}

LargeSend::LargeSend(const LinkWorld& world, const Caller& caller, Begun begun,
                     std::string_view begin, Answered answered)
    : connection_(world.connection),
      serves_jms_(world.serves_jms),
      kind_(begun.kind),
      head_(begin.substr(0, begun.body_at)),
      body_bytes_(BytesOf(begun.body)),
      held_bytes_(HeldBytesOf(begun)) {
  const std::int64_t said_bytes = SizeOf(begun.message);
  // Clients cannot settle by default what has none.
  if (!HasId(begun.message)) given_id_ = wharf::ToString(NewTrackingId());
  if (given_id_) begun.message.message_id = given_id_;
  const std::int64_t drawn_bytes = SizeOf(begun.message) - said_bytes;
  begun.message.body_kind = kind_;
  const Poster& post = connection_.poster();
  upload_ = world.requests.Upload(
      caller,
      UploadRequest{.entity = {world.path},
                    .message = std::move(begun.message),
                    .body_bytes = body_bytes_,
                    .ends_apart = true,
                    .drawn_bytes = drawn_bytes},
      [post, &connection = connection_] {
        post([&connection] { connection.unanswered_bytes().GiveBack(kRowBytes); });
      },
      [post, &connection = connection_, state = state_,
       answered = std::move(answered)](const Result<SendOutcome>& sent) {
        post([&connection, state, answered, status = sent.status()] {
          connection.unanswered_bytes().GiveBack(std::exchange(state->unanswered_bytes, 0));
          state->is_answered = true;
          if (!state->is_dropped) answered(status);
        });
      });
  const bool is_bare = begun.body.has_value() && !IsKept(*begun.body);
  Add(begin.substr(begun.body_at + (is_bare ? begun.body->head_bytes : 0)));
}

LargeSend::~LargeSend() {
  connection_.partial_bytes().GiveBack(held_bytes_);
  if (!is_waited_for_) state_->is_dropped = true;
  if (has_ended_) return;
  upload_->Fail({ErrorCode::kServiceCommunicationProblem, "the rest of the message did not come"});
}

void LargeSend::Add(std::string_view piece) {
  if (body_bytes_.has_value()) {
    const auto left = static_cast<std::size_t>(
        std::min<std::uint64_t>(*body_bytes_ - written_bytes_, piece.size()));
    Write(std::string(piece.substr(0, left)));
    return TakeTail(piece.substr(left));
  }
  if (has_ended_) return;
  std::string body;
  std::string tail;
  Status wrong = walk_.Take(piece, body, tail);
  if (!wrong.ok()) return Fail(std::move(wrong));
  Write(std::move(body));
  TakeTail(tail);
}

void LargeSend::TakeTail(std::string_view piece) {
  if (piece.empty() || has_ended_) return;
  if (piece.size() > kFooterBytesMax - tail_.size()) {
    return Fail({ErrorCode::kMessageSizeExceeded, "too much stands behind the body"});
  }
  tail_ += piece;
}

void LargeSend::Fail(Status why) {
  has_ended_ = true;
  upload_->Fail(std::move(why));
}

void LargeSend::Write(std::string body) {
  if (body.empty()) return;
  written_bytes_ += body.size();
  const std::size_t rows = upload_->Write(std::move(body));
  connection_.unanswered_bytes().TakeAnyway(rows * kRowBytes);
}

std::size_t LargeSend::GatheredBytes() const {
  if (is_held()) return static_cast<std::size_t>(written_bytes_);
  return body_bytes_.has_value() ? 0 : static_cast<std::size_t>(written_bytes_ % kRowBytes);
}

Status LargeSend::CheckEnd() const {
  if (!body_bytes_.has_value()) return walk_.CheckEnd();
  if (*body_bytes_ == written_bytes_) return {};
  return {ErrorCode::kArgumentError, "a message that ends within its body"};
}

void LargeSend::End() {
  is_waited_for_ = true;
  if (std::exchange(has_ended_, true)) return;
  if (Status wrong = CheckEnd(); !wrong.ok()) return upload_->Fail(std::move(wrong));
  Result<Message> whole = Whole();
  if (!whole.ok()) return upload_->Fail(whole.status());
  // Unless it has been answered.
  if (!upload_->is_over()) {
    state_->unanswered_bytes = std::max(kAskedBytesMin, GatheredBytes());
    connection_.unanswered_bytes().TakeAnyway(state_->unanswered_bytes);
  }
  upload_->End(*std::move(whole));
}

Result<Message> LargeSend::Whole() const {
  Result<Message> message = Around(head_, tail_);
  if (!message.ok()) return message;
  if (serves_jms_) WHARF_RETURN_IF_ERROR(jms::TakeDeliveryTime(*message));
  if (given_id_) message->message_id = given_id_;
  message->body_kind = kind_;
  return message;
}

}  // namespace wharf::amqp
