#include "storage/view_ledger.h"

#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "storage/memory/memory_store.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using Epoch = ViewLedger::Epoch;

TEST(ViewLedgerTest, AnEpochIsReachedWhenAllOlderTicketsAreClosed) {
  ViewLedger ledger;
  EXPECT_TRUE(ledger.IsReached(ledger.Begin()));

  std::optional<ViewLedger::Ticket> one(std::in_place, ledger);
  std::optional<ViewLedger::Ticket> other(std::in_place, ledger);
  const Epoch first = ledger.Begin();
  std::optional<ViewLedger::Ticket> later(std::in_place, ledger);
  const Epoch second = ledger.Begin();

  one.reset();
  EXPECT_FALSE(ledger.IsReached(first));
  other.reset();
  EXPECT_TRUE(ledger.IsReached(first));
  EXPECT_FALSE(ledger.IsReached(second));
  later.reset();
  EXPECT_TRUE(ledger.IsReached(second));
}

TEST(ViewLedgerTest, AViewOfAStoreIsOpenUntilItIsGone) {
  const TempFolder folder;
  ViewLedger ledger;
  const auto rocks =
      RocksStore::Open({.path = folder.path(), .tables = {{.name = "rows"}}, .views = &ledger})
          .value();
  const MemoryStore memory({{.name = "rows"}}, &ledger);

  for (const Store* store :
       {static_cast<const Store*>(rocks.get()), static_cast<const Store*>(&memory)}) {
    std::unique_ptr<StoreView> view = store->View();
    const Epoch epoch = ledger.Begin();
    EXPECT_FALSE(ledger.IsReached(epoch));
    view.reset();
    EXPECT_TRUE(ledger.IsReached(epoch));
  }
}

}  // namespace
}  // namespace wharf
