#include "broker/doors/grpc/services/messaging_service.h"

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_session.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/convert/transaction_part.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/streams/receive_stream.h"
#include "broker/doors/grpc/streams/send_stream.h"

namespace wharf {
namespace {

using SendCall = UnaryCall<v1::SendRequest, v1::SendResponse>;
using ReceiveCall = UnaryCall<v1::ReceiveRequest, v1::ReceiveResponse>;
using SettleCall = UnaryCall<v1::SettleRequest, v1::SettleResponse>;
using RenewLockCall = UnaryCall<v1::RenewLockRequest, v1::RenewLockResponse>;
using PeekCall = UnaryCall<v1::PeekRequest, v1::PeekResponse>;

constexpr std::uint32_t kPeekMax = 250;

// A refusal that concerns the whole call fails it, so that a caller that does not look cannot miss
// it.
void AnswerSend(SendCall& call, Result<SendReceipt> receipt) {
  if (!receipt.ok()) return call.Fail(receipt.status());
  if (receipt->size() == 1 && !receipt->front().ok()) return call.Fail(receipt->front().status());
  for (const Result<SendOutcome>& result : *receipt) {
    ToProto(result, call.about(), call.response().add_results());
  }
  call.Succeed();
}

Status StatusOf(const Status& result) { return result; }
Status StatusOf(const Result<Timestamp>& result) { return result.status(); }

// The same for what is asked of tokens.
template <typename Receipt>
Status RefusalOf(const Result<Receipt>& receipt) {
  if (!receipt.ok()) return receipt.status();
  return receipt->size() == 1 ? StatusOf(receipt->front()) : Status();
}

void AnswerPeek(PeekCall& call, const Result<PeekPage>& page) {
  if (!page.ok()) return call.Fail(page.status());
  for (const PeekedMessage& peeked : page->messages) {
    ToProto(peeked, call.response().add_messages());
  }
  if (page->next) {
    call.response().set_next_sequence_number(static_cast<std::int64_t>(page->next->value()));
  }
  call.Succeed();
}

}  // namespace

MessagingService::MessagingService(const Gates& gates)
    : RawService(v1::Messaging::service_full_name()), gates_(gates) {
  Offer(Unary("Send", &MessagingService::Send), Stream("SendStream", &MessagingService::SendStream),
        Unary("Receive", &MessagingService::Receive),
        Stream("ReceiveStream", &MessagingService::ReceiveStream),
        Unary("Settle", &MessagingService::Settle),
        Unary("RenewLock", &MessagingService::RenewLock), Unary("Peek", &MessagingService::Peek),
        Unary("PeekBody", &MessagingService::PeekBody),
        Unary("TraceMessage", &MessagingService::TraceMessage),
        Unary("ReceiveDeferred", &MessagingService::ReceiveDeferred),
        Unary("UndeferMessages", &MessagingService::UndeferMessages),
        Unary("ReceiveBySequenceNumber", &MessagingService::ReceiveBySequenceNumber),
        Unary("SettleBySequenceNumber", &MessagingService::SettleBySequenceNumber),
        Unary("ExportBySequenceNumber", &MessagingService::ExportBySequenceNumber),
        Unary("DeleteMessages", &MessagingService::DeleteMessages),
        Unary("CancelScheduledMessages", &MessagingService::CancelScheduledMessages),
        Unary("RescheduleMessages", &MessagingService::RescheduleMessages),
        Unary("ActivateScheduledMessages", &MessagingService::ActivateScheduledMessages),
        Unary("ListScheduledMessages", &MessagingService::ListScheduledMessages));
}

UnaryReactor* MessagingService::Send(grpc::CallbackServerContext* context,
                                     grpc::ByteBuffer* response) {
  return SendCall::Start(gates_, context, response, [](SendCall& call) {
    call.entity_path = call.request().entity_path();
    if (IsTransactionPart(call)) return AddToTransaction(call);
    if (Status bad = CheckRequestSize(call.request()); !bad.ok()) return call.Fail(bad);
    Result<std::vector<Message>> messages = FromProto(*call.request().mutable_messages());
    if (!messages.ok()) return call.Fail(messages.status());
    call.requests().Ask(
        call.caller(), SendRequest{call.entity(), *std::move(messages), call.request().atomic()},
        [&call](Result<SendReceipt> receipt) { AnswerSend(call, std::move(receipt)); });
  });
}

StreamReactor* MessagingService::SendStream(grpc::CallbackServerContext* context) {
  return StartSendStream(gates_, *context);
}

UnaryReactor* MessagingService::Receive(grpc::CallbackServerContext* context,
                                        grpc::ByteBuffer* response) {
  return ReceiveCall::Start(gates_, context, response, [](ReceiveCall& call) {
    call.entity_path = call.request().entity_path();
    Result<ReceiveMode> mode = FromProto(call.request().mode());
    if (!mode.ok()) return call.Fail(mode.status());
    Result<Duration> wait = WaitFromProto(call.request().max_wait());
    if (!wait.ok()) return call.Fail(wait.status());
    Result<std::optional<LockToken>> session =
        OptionalSessionTokenFromProto(call.request().session_lock_token());
    if (!session.ok()) return call.Fail(session.status());
    const std::uint32_t messages_max = std::max(call.request().max_messages(), 1U);
    call.CancelWhenGone(call.requests().Wait(
        call.caller(),
        ReceiveRequest{call.entity(), *mode, messages_max, kAnswerBytesMax, *wait, *session},
        [&call, mode = *mode](Result<std::vector<Delivered>> received) {
          AnswerReceive(call, mode, std::move(received));
        }));
  });
}

StreamReactor* MessagingService::ReceiveStream(grpc::CallbackServerContext* context) {
  return StartReceiveStream(gates_, *context);
}

UnaryReactor* MessagingService::Settle(grpc::CallbackServerContext* context,
                                       grpc::ByteBuffer* response) {
  return SettleCall::Start(gates_, context, response, [](SettleCall& call) {
    call.entity_path = call.request().entity_path();
    if (IsTransactionPart(call)) return AddToTransaction(call);
    Result<Settlement> settlement = FromProto(call.request().settlement());
    if (!settlement.ok()) return call.Fail(settlement.status());
    call.requests().Ask(
        call.caller(),
        SettleRequest{call.entity(), TokensFromProto(call.request().settlement().lock_tokens()),
                      *std::move(settlement)},
        [&call](Result<SettleReceipt> receipt) {
          if (Status refused = RefusalOf(receipt); !refused.ok()) {
            return call.Fail(refused);
          }
          const auto& tokens = call.request().settlement().lock_tokens();
          for (std::size_t i = 0; i < receipt->size(); ++i) {
            v1::TokenResult* result = call.response().add_results();
            result->set_lock_token(tokens.Get(static_cast<int>(i)));
            if ((*receipt)[i].ok()) continue;
            *result->mutable_error() = ToProto((*receipt)[i], call.about());
          }
          call.Succeed();
        });
  });
}

UnaryReactor* MessagingService::RenewLock(grpc::CallbackServerContext* context,
                                          grpc::ByteBuffer* response) {
  return RenewLockCall::Start(gates_, context, response, [](RenewLockCall& call) {
    call.entity_path = call.request().entity_path();
    if (IsTransactionPart(call)) return AddToTransaction(call);
    call.requests().Ask(
        call.caller(),
        RenewLockRequest{call.entity(), TokensFromProto(call.request().lock_tokens())},
        [&call](Result<RenewReceipt> receipt) {
          if (Status refused = RefusalOf(receipt); !refused.ok()) {
            return call.Fail(refused);
          }
          RenewToProto(*receipt, call.request().lock_tokens(), call.about(),
                       call.response().mutable_results());
          call.Succeed();
        });
  });
}

UnaryReactor* MessagingService::Peek(grpc::CallbackServerContext* context,
                                     grpc::ByteBuffer* response) {
  return PeekCall::Start(gates_, context, response, [](PeekCall& call) {
    call.entity_path = call.request().entity_path();
    const Result<SequenceNumber> from =
        NumberFromProto("from_sequence_number", call.request().from_sequence_number());
    if (!from.ok()) return call.Fail(from.status());
    const Result<PeekFilter> filter = FromProto(call.request().filter());
    if (!filter.ok()) return call.Fail(filter.status());
    const Result<std::uint32_t> count =
        CountFromProto("max_messages", call.request().max_messages(), 1, kPeekMax);
    if (!count.ok()) return call.Fail(count.status());
    std::optional<std::string> session_id;
    if (call.request().has_session_id()) session_id = call.request().session_id();
    call.requests().Ask(
        call.caller(),
        PeekRequest{call.entity(), *from, *filter, *count, kAnswerBytesMax, std::move(session_id),
                    call.request().sql_filter(), call.request().without_bodies()},
        [&call](const Result<PeekPage>& page) { AnswerPeek(call, page); });
  });
}

}  // namespace wharf
