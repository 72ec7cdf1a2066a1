// Conversions between the messages of wharf.v1 and the broker's own values.
//
// What a client sends is checked for shape here (a token's length, a time's range); rules are the
// broker's.
#pragma once

#include <string>
#include <vector>

#include <wharf/v1/management.pb.h>
#include <wharf/v1/messaging.pb.h>

#include "broker/doors/grpc/errors.h"
#include "broker/requests/broker_statistics.h"
#include "broker/requests/requests.h"

namespace wharf {

// No message of a request may have a large body; it comes in chunks.
Status CheckRequestSize(const v1::SendRequest& request);
// Takes the body out of `proto`.
Result<Message> FromProto(v1::Message& proto);
Result<std::vector<Message>> FromProto(google::protobuf::RepeatedPtrField<v1::Message>& protos);
Result<Settlement> FromProto(const v1::Settlement& proto);
Result<Settlement> FromProto(const v1::SettleBySequenceNumberRequest& proto);
TokenList TokensFromProto(const google::protobuf::RepeatedPtrField<std::string>& tokens);
Result<ReceiveMode> FromProto(v1::ReceiveMode mode);
// Absent: zero. The error names the field.
Result<Duration> DurationFromProto(std::string_view field, const google::protobuf::Duration& proto);
Result<Duration> WaitFromProto(const google::protobuf::Duration& proto);
Credit FromProto(const v1::ReceiveCredit& proto);
// The error names the field.
Result<SequenceNumber> NumberFromProto(std::string_view field, std::int64_t proto);
Result<std::vector<SequenceNumber>> NumbersFromProto(
    const google::protobuf::RepeatedField<std::int64_t>& protos);
Result<PeekFilter> FromProto(v1::PeekFilter filter);
Result<QueueDescription> FromProto(const v1::QueueProperties& proto);
Result<RetryPolicy> FromProto(const v1::RetryPolicy& proto);
Result<JobOrder> FromProto(const v1::StartRedriveRequest& proto);
Result<JobOrder> FromProto(const v1::StartDeleteMessagesRequest& proto);
Result<JobId> JobIdFromProto(std::int64_t proto);

void ToProto(Timestamp time, google::protobuf::Timestamp* proto);
void ToProto(Duration span, google::protobuf::Duration* proto);
void ToProto(const Message& message, v1::Message* proto);
void ToProto(const Delivered& delivered, v1::ReceivedMessage* proto);
void ToProto(const PeekedMessage& peeked, v1::ReceivedMessage* proto);
void ToProto(const Credit& credit, v1::ReceiveCredit* proto);
void ToProto(const Result<SendOutcome>& result, const AboutRequest& about, v1::SendResult* proto);
void RenewToProto(const RenewReceipt& receipt,
                  const google::protobuf::RepeatedPtrField<std::string>& tokens,
                  const AboutRequest& about,
                  google::protobuf::RepeatedPtrField<v1::TokenResult>* results);
void ToProto(const ScheduledPage& page, v1::ListScheduledMessagesResponse* proto);
// Takes the bytes out of `page`.
void ToProto(QuarantineExport page, v1::ExportBySequenceNumberResponse* proto);
void ToProto(const EntityRecord& record, v1::QueueProperties* proto);
void ToProto(const RetryPolicy& policy, v1::RetryPolicy* proto);
void ToProto(const QueueSnapshot& snapshot, v1::QueueRuntimeProperties* proto);
void ToProto(const JobRecord& job, v1::Job* proto);
void ToProto(const BrokerStatistics& statistics, v1::BrokerStatistics* proto);
void ToProto(const EntityNumbers::Row& row, v1::EntityNumbers* proto);

}  // namespace wharf
