// Log: the lines that wharfd writes to stderr, and nobody else's. Used by main.cc.
#pragma once

#include <string>

namespace wharf {

// From now on lines have a time, a level and a sentence: "2026-11-22T10:00:00.000Z info ...". What
// gRPC and protobuf have to say is shown at the level debug only, and of it a line a second:
// clients can make them say as much as they like.
void StartLog(const std::string& level);

}  // namespace wharf
