// ViewLedger: which views of a store are open, by epochs.
//
// Compactions see no snapshots. What makes rows garbage may reach them only when every view that
// was opened before it was applied is closed; those opened later know it by themselves. A store
// opens a ticket before a view takes its snapshot; whoever is told that something was applied
// begins an epoch, and asks now and then whether no older ticket is open. Any thread may call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "absl/base/thread_annotations.h"
#include "storage/base/ids.h"
#include "storage/base/mutex.h"

namespace wharf {

class ViewLedger {
 public:
  using Epoch = StrongId<struct ViewEpochTag, std::uint64_t>;

  // A view's entry, for as long as it is open. The ledger outlives it.
  class Ticket {
   public:
    explicit Ticket(ViewLedger& ledger) : ledger_(ledger), epoch_(ledger.Open()) {}
    ~Ticket() { ledger_.Close(epoch_); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    ViewLedger& ledger_;
    const Epoch epoch_;
  };

  // Tickets of now and earlier are older than the epoch that begins; call it when what they do not
  // know is seen by new views.
  Epoch Begin();
  // Whether no ticket is open that is older.
  bool IsReached(Epoch epoch) const;

 private:
  Epoch Open();
  void Close(Epoch epoch);

  mutable Mutex mutex_;
  Epoch now_ ABSL_GUARDED_BY(mutex_);
  std::map<Epoch, std::size_t> open_ ABSL_GUARDED_BY(mutex_);  // How many of each epoch.
};

}  // namespace wharf
