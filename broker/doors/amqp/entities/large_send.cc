#include "broker/doors/amqp/entities/large_send.h"

#include <algorithm>
#include <utility>

#include "broker/doors/amqp/mapping/incoming.h"
#include "broker/doors/amqp/message/sections.h"

namespace wharf::amqp {
namespace {

constexpr DecodeLimits kLargeLimits{};
// With what stands around them messages of a little less are more than 1 MiB.
constexpr std::uint64_t kLargeFrom = kHeldBodyBytesMax - (std::uint64_t{128} << 10);
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

// Of a body whose head is kept, that as well.
std::uint64_t BytesOf(const BodyHead& body) {
  return body.content_bytes + (IsKept(body) ? body.head_bytes : 0);
}

// The broker gathers it as any other.
bool IsHeld(const BodyHead& body) { return BytesOf(body) <= kHeldBodyBytesMax; }

Result<Message> Around(std::string_view head, std::string_view tail) {
  std::string around(head);
  around += kNoData;
  around += tail;
  Result<Sections> sections = SplitSections(around, kLargeLimits);
  if (!sections.ok()) return sections.status();
  if (sections->body_sections > 1) {
    return Status(ErrorCode::kMessageSizeExceeded,
                  "the body of a message over 1 MiB is one section");
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
  if ((*body)->content_bytes < kLargeFrom) return Small();
  Result<Message> message = Around(begin.substr(0, body_at), {});
  if (!message.ok()) return message.status();
  return std::optional(Begun{*std::move(message), **body, body_at});
}

std::size_t LargeSend::HeldBytesOf(const Begun& begun) {
  return begun.body_at + std::min<std::size_t>(BytesOf(begun.body),
                                               IsHeld(begun.body) ? kHeldBodyBytesMax : kRowBytes);
}

LargeSend::LargeSend(const LinkWorld& world, const Caller& caller, Begun begun,
                     std::string_view begin, Answered answered)
    : connection_(world.connection),
      kind_(KindOf(begun.body)),
      head_(begin.substr(0, begun.body_at)),
      body_bytes_(BytesOf(begun.body)),
      body_left_(body_bytes_),
      held_bytes_(HeldBytesOf(begun)) {
  // Clients cannot settle by default what has none.
  if (!HasId(begun.message)) given_id_ = wharf::ToString(NewTrackingId());
  if (given_id_) begun.message.message_id = given_id_;
  begun.message.body_kind = kind_;
  const Poster& post = connection_.poster();
  upload_ = world.requests.Upload(
      caller, {{world.path}, std::move(begun.message), body_bytes_, /*ends_apart=*/true},
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
  Add(begin.substr(begun.body_at + (IsKept(begun.body) ? 0 : begun.body.head_bytes)));
}

LargeSend::~LargeSend() {
  connection_.partial_bytes().GiveBack(held_bytes_);
  if (!is_waited_for_) state_->is_dropped = true;
  if (has_ended_) return;
  upload_->Fail({ErrorCode::kServiceCommunicationProblem, "the rest of the message did not come"});
}

void LargeSend::Add(std::string_view piece) {
  const std::string_view body = piece.substr(0, body_left_);
  if (!body.empty()) Write(body);
  piece.remove_prefix(body.size());
  if (piece.empty() || has_ended_) return;
  if (piece.size() > kFooterBytesMax - tail_.size()) {
    has_ended_ = true;
    return upload_->Fail({ErrorCode::kMessageSizeExceeded, "too much stands behind the body"});
  }
  tail_ += piece;
}

void LargeSend::Write(std::string_view body) {
  body_left_ -= body.size();
  const std::size_t rows = upload_->Write(std::string(body));
  connection_.unanswered_bytes().TakeAnyway(rows * kRowBytes);
}

void LargeSend::End() {
  is_waited_for_ = true;
  if (std::exchange(has_ended_, true)) return;
  if (body_left_ > 0) {
    return upload_->Fail({ErrorCode::kArgumentError, "a message that ends within its body"});
  }
  Result<Message> whole = Whole();
  if (!whole.ok()) return upload_->Fail(whole.status());
  // Unless it has been answered.
  if (!upload_->is_over()) {
    state_->unanswered_bytes = std::max(kAskedBytesMin, is_held() ? std::size_t{body_bytes_} : 0);
    connection_.unanswered_bytes().TakeAnyway(state_->unanswered_bytes);
  }
  upload_->End(*std::move(whole));
}

Result<Message> LargeSend::Whole() const {
  Result<Message> message = Around(head_, tail_);
  if (!message.ok()) return message;
  if (given_id_) message->message_id = given_id_;
  message->body_kind = kind_;
  return message;
}

}  // namespace wharf::amqp
