// What is asked about locks: ending and renewing them, and which connection holds which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/requests/entity_ref.h"

namespace wharf {

// Tokens as they came; one that is no token carries its error.
using TokenList = std::vector<Result<LockToken>>;

// One result a token, in their order.
using SettleReceipt = std::vector<Status>;
using RenewReceipt = std::vector<Result<Timestamp>>;

// Each token by itself; one that fails changes nothing for the others.
struct SettleRequest {
  using Response = SettleReceipt;
  EntityRef entity{};
  TokenList tokens{};
  Settlement settlement{};
};

struct RenewLockRequest {
  using Response = RenewReceipt;
  EntityRef entity{};
  TokenList tokens{};
};

// What holds locks.
enum class HolderKind : std::uint8_t { kCall, kStream };

struct HolderInfo {
  HolderKind kind = HolderKind::kCall;
  // Where its connection comes from.
  std::string peer;
  // Its connection may lock no more on this lane now.
  bool is_at_limit = false;
};

// A message that is locked, and its holder.
struct LockInfo {
  SequenceNumber number;
  LockToken token;
  // kNever: before the last start.
  Timestamp since;
  // kNever: as long as its session is.
  Timestamp until;
  std::optional<std::string> session_id{};
  std::optional<HolderInfo> holder{};
};
// Behind the lock that ends then, on the message of that number.
struct LockPlace {
  Timestamp until = Timestamp::min();
  SequenceNumber number{};
};
struct LockPage {
  std::vector<LockInfo> locks;
  // Absent: it was the last one.
  std::optional<LockPlace> next;
};

// Those that end first before the others.
struct ListLocksRequest {
  using Response = LockPage;
  EntityRef entity{};
  LockPlace after{};
  std::size_t count_max = 1;
};

}  // namespace wharf
