#include "tools/crash/load/exchange_book.h"

#include <utility>

namespace wharf::crash {

void ExchangeBook::Note(Exchange exchange, HeldLocks& held_locks) {
  if (exchange.settle.is_ok()) {
    committed_.push_back(exchange.id);
  } else if (exchange.settle.is_unknown()) {
    doubtful_.push_back(std::move(exchange));
  } else {
    held_locks.Hold(exchange.settle.source, {exchange.settle.token});
  }
}

Status ExchangeBook::Resolve(RecordedClient& client, HeldLocks& held_locks) {
  for (Exchange& exchange : std::exchange(doubtful_, {})) {
    const Result<bool> is_committed = client.Resolve(exchange);
    if (!is_committed.ok()) return is_committed.status();
    if (!*is_committed) held_locks.Hold(exchange.settle.source, {exchange.settle.token});
  }
  for (const std::string& id : std::exchange(committed_, {})) {
    WHARF_RETURN_IF_ERROR(client.CheckCommitted(id));
  }
  return {};
}

}  // namespace wharf::crash
