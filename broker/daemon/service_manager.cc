#include "broker/daemon/service_manager.h"

#include <systemd/sd-daemon.h>

namespace wharf {

void TellReady(const std::string& status) { sd_notifyf(0, "READY=1\nSTATUS=%s", status.c_str()); }

void TellStopping() { sd_notify(0, "STOPPING=1\nSTATUS=Answering what was taken"); }

}  // namespace wharf
