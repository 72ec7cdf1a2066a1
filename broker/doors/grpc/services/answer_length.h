// AnswerLength: how long the answer of a call may become, by its request.
//
// What a client does not read stays in memory, and a connection may have thousands of calls. So
// that few answers are long at a time, each stands in a place (common/gates.h) until its client has
// read it. Short ones have none: the call itself is larger, and calls are bounded by their
// connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <wharf/v1/management.pb.h>
#include <wharf/v1/messaging.pb.h>
#include <wharf/v1/sessions.pb.h>
#include <wharf/v1/topics.pb.h>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

enum class AnswerLength : std::uint8_t {
  kShort,
  // But where every item is refused, or what is received is gone from the broker, it may be long,
  // and is told whatever else is unread. So it is refused before it is done where its connection
  // has its share of long ones unread.
  kShortAsARule,
  // Its answer has a place before its request is read.
  kLong,
};

// Longer answers need a place.
inline constexpr std::size_t kShortAnswerBytes = std::size_t{64} << 10;
// As many results, with errors, are short.
inline constexpr int kShortAnswerItems = 128;
// For as long as its client does not read it, also while others wait: the answer tells what is gone
// from the broker, or held for it.
inline constexpr Duration kAnswerHold = Duration::max();
// Of a look or a list, which can be asked for again: longer only while no other connection waits.
inline constexpr Duration kLookHold = std::chrono::seconds(30);

template <typename Request>
inline constexpr AnswerLength kAnswerLength = AnswerLength::kShort;

template <>
inline constexpr auto kAnswerLength<v1::SendRequest> = AnswerLength::kShortAsARule;
template <>
inline constexpr auto kAnswerLength<v1::SettleRequest> = AnswerLength::kShortAsARule;
template <>
inline constexpr auto kAnswerLength<v1::RenewLockRequest> = AnswerLength::kShortAsARule;
template <>
inline constexpr auto kAnswerLength<v1::ReceiveRequest> = AnswerLength::kShortAsARule;

template <>
inline constexpr auto kAnswerLength<v1::PeekRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::PeekBodyRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::TraceMessageRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ReceiveDeferredRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ReceiveBySequenceNumberRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ExportBySequenceNumberRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListScheduledMessagesRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListSessionsRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::GetSessionStateRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListQueuesRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListEntityNumbersRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListLocksRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListJobsRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListConnectionsRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListAccessRulesRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListTopicsRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListSubscriptionsRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::ListRulesRequest> = AnswerLength::kLong;
template <>
inline constexpr auto kAnswerLength<v1::EvaluateRuleRequest> = AnswerLength::kLong;

// How long the place of a long answer is safe while other connections wait.
template <typename Request>
inline constexpr Duration kHoldOfAnswer = kLookHold;
template <>
inline constexpr Duration kHoldOfAnswer<v1::ReceiveDeferredRequest> = kAnswerHold;
template <>
inline constexpr Duration kHoldOfAnswer<v1::ReceiveBySequenceNumberRequest> = kAnswerHold;

// Whether the answer to one that is short as a rule may be long.
inline bool MayBeLong(const v1::SendRequest& request) {
  return request.messages_size() > kShortAnswerItems;
}
inline bool MayBeLong(const v1::SettleRequest& request) {
  return request.settlement().lock_tokens_size() > kShortAnswerItems;
}
inline bool MayBeLong(const v1::RenewLockRequest& request) {
  return request.lock_tokens_size() > kShortAnswerItems;
}
// What is locked goes back instead, if it is too much.
inline bool MayBeLong(const v1::ReceiveRequest& request) {
  return request.mode() != v1::RECEIVE_MODE_PEEK_LOCK;
}

inline Status TooMuchUnread() {
  return {ErrorCode::kServiceBusy,
          "clients have not read as many long answers as the broker keeps, of this connection or "
          "of all; nothing was done, read what is there and ask again"};
}

}  // namespace wharf
