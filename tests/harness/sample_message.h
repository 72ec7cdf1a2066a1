// SampleMessage: a message with everything set that a sender may set, and how two of them differ.
#pragma once

#include <string>

#include "broker/core/messages/message.h"

namespace wharf {

// Every property of every type, edges among them.
Message SampleMessage();
// One property of every type that an application may use (USR-2), named by its type.
PropertyMap SampleProperties();

// The first thing in which two messages differ; empty if they are the same.
std::string FirstDifference(const Message& a, const Message& b);

}  // namespace wharf
