// KillableDaemon: a broker of one node that is killed and started again.
#pragma once

#include <string>
#include <utility>

#include "tools/crash/runs/daemon.h"
#include "tools/crash/runs/killable_broker.h"

namespace wharf::crash {

class KillableDaemon final : public KillableBroker {
 public:
  explicit KillableDaemon(Daemon::Options options) : daemon_(std::move(options)) {}

  Status Start() override;
  void Kill() override;
  Status GoOn() override;
  Status Stop() override;
  std::string address() override { return daemon_.address(); }

 private:
  Daemon daemon_;
};

}  // namespace wharf::crash
