// ListenAddress: where wharfd listens, as --listen says it. Used by main.cc.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace wharf {

// There are no credentials yet, so nobody but this machine may connect.
Status CheckListenAddress(const std::string& address);

}  // namespace wharf
