// Machine: the clock and the disk of one daemon, which fail as they are told (failing_machine.cc).
//
// Made by a Node before its daemon is started; what is set is in force at once, also while the
// daemon runs, and over its starts. Set from any thread; CutPower when the daemon has ended.
#pragma once

#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/crash/machine/machine_board.h"

namespace wharf::crash {

class Machine {
 public:
  // What it keeps is in this folder, which is made.
  static Result<Machine> Make(const std::string& folder);
  ~Machine();
  Machine(Machine&& other) noexcept;
  Machine& operator=(Machine&&) = delete;

  // What a daemon on it is started with.
  std::vector<std::string> environment() const;

  void SetClockAhead(Duration ahead);
  void HoldDisk() { board_->is_disk_held = true; }
  void SlowDisk(Duration sync);
  void FillDisk() { board_->is_disk_full = true; }
  void BreakDisk() { board_->is_disk_broken = true; }
  // All of this is well again.
  void Mend();

  // Of the files below this folder only what was synced is left.
  Status CutPower(const std::string& data) const;

 private:
  Machine(std::string folder, MachineBoard* board) : folder_(std::move(folder)), board_(board) {}

  std::string folder_;
  MachineBoard* board_;  // Null: it was moved from.
};

}  // namespace wharf::crash
