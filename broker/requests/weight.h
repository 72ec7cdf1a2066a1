// Weight: what a request takes of the room for what is asked and not answered yet.
//
// A message weighs one for each 2 KiB that it has, and so does any other request: a small one is
// more work than bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "broker/requests/request_list.h"

namespace wharf {

inline constexpr std::size_t kBytesPerWeight = 2048;
// What so many bytes weigh.
constexpr std::size_t WeightOfBytes(std::size_t bytes) {
  return bytes <= kBytesPerWeight ? 1 : (bytes + kBytesPerWeight - 1) / kBytesPerWeight;
}

// How far a request may fill the room. A settlement makes room, and finds some when sends have
// taken all of theirs.
enum class Share : std::uint8_t { kOrdinary, kSettling };

template <typename Request>
constexpr Share ShareOf(const Request&) {
  return Share::kOrdinary;
}
constexpr Share ShareOf(const SettleRequest&) { return Share::kSettling; }
constexpr Share ShareOf(const RenewLockRequest&) { return Share::kSettling; }

template <typename Request>
constexpr std::size_t WeightOf(const Request&) {
  return 1;
}
std::size_t WeightOf(const SendRequest& request);
std::size_t WeightOf(const SettleRequest& request);
std::size_t WeightOf(const RenewLockRequest& request);
std::size_t WeightOf(const ReceiveDeferredRequest& request);
std::size_t WeightOf(const UndeferRequest& request);
std::size_t WeightOf(const CancelScheduledRequest& request);
std::size_t WeightOf(const RescheduleRequest& request);
std::size_t WeightOf(const ActivateScheduledRequest& request);
std::size_t WeightOf(const SetSessionStateRequest& request);
std::size_t WeightOf(const RunTransactionRequest& request);
std::size_t WeightOf(const AddToTransactionRequest& request);
std::size_t WeightOf(const EvaluateRulesRequest& request);
std::size_t WeightOf(const EvaluateRuleRequest& request);

}  // namespace wharf
