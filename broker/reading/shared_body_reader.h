// Reads whether a body is still shared by any message. Any thread.
#pragma once

#include "broker/core/messages/message.h"
#include "storage/store.h"

namespace wharf {

Result<bool> HasHolders(const StoreView& view, const BodyRef& body);

}  // namespace wharf
