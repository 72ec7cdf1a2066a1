// Log: the lines that wharfd writes to stderr, and nobody else's. Used by main.cc and the Reloader,
// on the main thread.
#pragma once

#include <string>

namespace wharf {

// From now on lines have a time, a level and a sentence: "2026-11-22T10:00:00.000Z info ...", or
// the same as JSON: {"time":"2026-11-22T10:00:00.000Z","level":"info","message":"..."}, with the
// fields that the line has (log_fields.h). What gRPC
// and protobuf have to say is shown at the level debug only, and of it a line a second: clients can
// make them say as much as they like.
void StartLog(const std::string& level, const std::string& format);

// For the lines from now on.
void SetLog(const std::string& level, const std::string& format);

}  // namespace wharf
