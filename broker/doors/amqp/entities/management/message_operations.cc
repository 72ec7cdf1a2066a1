#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/management/large_answer.h"
#include "broker/doors/amqp/entities/management/operations.h"

namespace wharf::amqp {
namespace {

// Of one answer; one message goes out whatever it has.
constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 20;
constexpr std::int32_t kActive = 0;
constexpr std::int32_t kDeferred = 1;
constexpr std::int32_t kScheduled = 2;
constexpr char kMessageNotFound[] = "com.microsoft:message-not-found";

// Of one deletion of the oldest (BDL-3); who asks for more is told how many it were.
constexpr std::size_t kDeletedMax = 4000;

Status WrongCount() { return {ErrorCode::kArgumentOutOfRange, "message-count is at least 1"}; }

// As it is delivered, and with its state. A large body stays where it is.
Value EncodedWith(const Operation& operation, const wharf::Delivered& delivered,
                  std::int32_t state) {
  return Value(Binary{EncodedOf(delivered, state, operation.is_partitioned())});
}

std::int32_t StateOf(const PeekedMessage& peeked) {
  if (peeked.is_scheduled) return kScheduled;
  return peeked.standing == Standing::kDeferred ? kDeferred : kActive;
}

void AnswerMessages(Operation& operation, List messages) {
  if (messages.items.empty()) return operation.Nothing();
  Map body;
  Put(body, "messages", Value(std::move(messages)));
  operation.Done(std::move(body));
}

void AnswerNumbers(Operation& operation, const std::vector<std::int64_t>& numbers) {
  Array array{.descriptors = {}, .type = Type::kLong, .items = {}};
  for (const std::int64_t number : numbers) array.items.emplace_back(number);
  Map body;
  Put(body, "sequence-numbers", Value(std::move(array)));
  operation.Done(std::move(body));
}

// A page may find nothing and know where to go on. What cannot be read is left out.
void OnPage(Operation& operation, PeekRequest request, const PeekPage& page);

void Peek(Operation& operation, const PeekRequest& request) {
  operation.AskPage(request, kAnswerBytesMax, [request](Operation& self, const PeekPage& page) {
    OnPage(self, request, page);
  });
}

void OnPage(Operation& operation, PeekRequest request, const PeekPage& page) {
  List messages;
  for (const PeekedMessage& peeked : page.messages) {
    if (!peeked.unreadable.empty()) continue;
    Map entry;
    Put(entry, "message",
        EncodedWith(operation, {.message = peeked.message, .delivery = peeked.delivery},
                    StateOf(peeked)));
    messages.items.emplace_back(std::move(entry));
  }
  if (!messages.items.empty() || !page.next.has_value()) {
    return AnswerMessages(operation, std::move(messages));
  }
  request.from = *page.next;
  Peek(operation, request);
}

void AnswerReceived(Operation& operation, const std::vector<wharf::Delivered>& delivered,
                    bool locks) {
  List messages;
  for (const wharf::Delivered& each : delivered) {
    Map entry;
    Put(entry, "message", EncodedWith(operation, each, kDeferred));
    if (locks) Put(entry, "lock-token", Value(UuidOf(each.token)));
    messages.items.emplace_back(std::move(entry));
  }
  AnswerMessages(operation, std::move(messages));
}

// One with a large body comes alone.
void ReceiveLocked(Operation& operation, ReceiveDeferredRequest request, bool is_consumed) {
  operation.AskForLocks(
      std::move(request), kAnswerBytesMax,
      [is_consumed](Operation& self, const std::vector<wharf::Delivered>& delivered) {
        const bool is_large =
            delivered.size() == 1 && delivered.front().message->facts.has_large_body();
        if (!is_large) return AnswerReceived(self, delivered, /*locks=*/true);
        self.Done(LargeAnswer::Begin(self, delivered.front(), kDeferred, is_consumed));
      },
      [](Operation& self, const Status& refused) { self.Fail(refused); });
}

// A large body would be gone with its message, before it is read: such a one is locked, and deleted
// when it is.
void ReceiveAndDelete(Operation& operation, const ReceiveDeferredRequest& request) {
  operation.AskForLocks(
      request, kAnswerBytesMax,
      [](Operation& self, const std::vector<wharf::Delivered>& delivered) {
        AnswerReceived(self, delivered, /*locks=*/false);
      },
      [request](Operation& self, const Status& refused) {
        const bool may_be_large =
            refused.code() == ErrorCode::kMessageSizeExceeded && request.numbers.size() == 1;
        if (!may_be_large) return self.Fail(refused);
        ReceiveDeferredRequest locking = request;
        locking.mode = ReceiveMode::kPeekLock;
        locking.takes_large = true;
        ReceiveLocked(self, std::move(locking), /*is_consumed=*/true);
      });
}

}  // namespace

void PeekMessages(const OperationPtr& operation) {
  const std::int64_t count = operation->Number("message-count").value_or(1);
  if (count < 1) return operation->Fail(WrongCount());
  const std::int64_t from =
      std::max<std::int64_t>(operation->Number("from-sequence-number").value_or(0), 0);
  Peek(*operation,
       {.entity = operation->entity(),
        .from = SequenceNumber(static_cast<std::uint64_t>(from)),
        .messages_max = std::min<std::size_t>(static_cast<std::size_t>(count), kItemsMax),
        .bytes_max = kAnswerBytesMax,
        .session_id = operation->Text("session-id")});
}

void ReceiveByNumber(const OperationPtr& operation) {
  ReceiveDeferredRequest request{.entity = operation->entity(),
                                 .numbers = operation->SequenceNumbers()};
  if (request.numbers.empty() || request.numbers.size() > kItemsMax) {
    return operation->Fail({ErrorCode::kArgumentError, "sequence-numbers has 1 to 4500 of them"});
  }
  // As the settle mode of a receiver: first is receive-and-delete.
  const bool locks = operation->Number("receiver-settle-mode").value_or(1) != 0;
  request.mode = locks ? ReceiveMode::kPeekLock : ReceiveMode::kReceiveAndDelete;
  request.takes_large = locks;
  if (operation->Find<std::string>("session-id") != nullptr) {
    const Result<LockToken> session = operation->HeldSession();
    if (!session.ok()) return operation->Fail(session.status());
    request.session = *session;
  }
  locks ? ReceiveLocked(*operation, std::move(request), /*is_consumed=*/false)
        : ReceiveAndDelete(*operation, request);
}

void DeleteMessages(const OperationPtr& operation) {
  const std::int64_t count = operation->Number("message-count").value_or(0);
  if (count < 1) return operation->Fail(WrongCount());
  DeleteOldestRequest request{
      .entity = operation->entity(),
      .messages_max = std::min<std::size_t>(static_cast<std::size_t>(count), kDeletedMax)};
  request.session_id = operation->Text("session-id");
  if (const auto* const before = operation->Find<TimestampMs>("enqueued-time-utc")) {
    request.before = TimeFrom(*before);
  }
  operation->Ask(std::move(request), 0, [](Operation& self, std::int64_t deleted) {
    if (deleted == 0) return self.Nothing(kMessageNotFound);
    Map body;
    Put(body, "message-count", Value(static_cast<std::int32_t>(deleted)));
    self.Done(std::move(body));
  });
}

void ScheduleMessages(const OperationPtr& operation) {
  SendRequest request{.entity = operation->entity(), .messages = {}, .atomic = true};
  std::size_t bytes = 0;
  for (const Value& item : operation->Items("messages")) {
    const auto* const entry = item.As<Map>();
    const Value* const found = entry == nullptr ? nullptr : entry->FindString("message");
    const auto* const encoded = found == nullptr ? nullptr : found->As<Binary>();
    if (encoded == nullptr) {
      return operation->Fail({ErrorCode::kArgumentError, "each of messages has a message"});
    }
    Result<Message> message = MessageOf(encoded->bytes);
    if (!message.ok()) return operation->Fail(message.status());
    if (!message->scheduled_enqueue_time.has_value()) {
      return operation->Fail({ErrorCode::kArgumentError,
                              "a message to schedule says when by x-opt-scheduled-enqueue-time"});
    }
    // As what a link sends.
    if (!HasId(*message)) message->message_id = wharf::ToString(NewTrackingId());
    bytes += encoded->bytes.size();
    request.messages.push_back(*std::move(message));
  }
  if (request.messages.empty() || request.messages.size() > kItemsMax) {
    return operation->Fail({ErrorCode::kArgumentError, "messages has 1 to 4500 of them"});
  }
  if (operation->is_in_transaction()) {
    // They have their numbers when it is committed.
    std::vector<std::int64_t> none(request.messages.size(), 0);
    return operation->AddToTransaction(
        SendMessages{std::move(request.messages)}, bytes,
        [none = std::move(none)](Operation& self) { AnswerNumbers(self, none); });
  }
  request.encoded_bytes = static_cast<std::int64_t>(bytes);
  operation->Ask(std::move(request), bytes, [](Operation& self, const SendReceipt& receipt) {
    std::vector<std::int64_t> numbers;
    for (const Result<SendOutcome>& outcome : receipt) {
      if (!outcome.ok()) return self.Fail(outcome.status());
      numbers.push_back(static_cast<std::int64_t>(outcome->number.value()));
    }
    AnswerNumbers(self, numbers);
  });
}

void CancelScheduled(const OperationPtr& operation) {
  CancelScheduledRequest request{operation->entity(), operation->SequenceNumbers()};
  if (request.numbers.empty() || request.numbers.size() > kItemsMax) {
    return operation->Fail({ErrorCode::kArgumentError, "sequence-numbers has 1 to 4500 of them"});
  }
  operation->Ask(std::move(request), 0, [](Operation& self, std::monostate) { self.Done(); });
}

}  // namespace wharf::amqp
