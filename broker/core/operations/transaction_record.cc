#include "broker/core/operations/transaction_record.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::size_t kIdBytesMax = 128;

}  // namespace

Status CheckTransactionId(const TransactionId& id) {
  const bool is_fit = !id.empty() && id.size() <= kIdBytesMax &&
                      std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (is_fit) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("transaction_id must be 1 to {} printable ASCII characters without spaces, "
                      "for example a UUID",
                      kIdBytesMax)};
}

}  // namespace wharf
