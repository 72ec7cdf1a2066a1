// Moment: a point in time on the command line, said outright or from the broker's now.
//
//   moment = ISO 8601, "2026-01-31T12:00:00Z" / ( "+" / "-" ) duration, "+1h30m"
//
// Used by every option that holds a time, on the main thread.
#pragma once

#include <optional>
#include <string>

#include "tools/wharf/program.h"

namespace wharf::tool {

struct Moment {
  google::protobuf::Timestamp time;
  // Instead of `time`: so long after now, or before.
  std::optional<Duration> from_now;
};

// ArgumentError with one sentence, if it is none.
Result<Moment> ParseMoment(const std::string& text);

// Asks the broker what time it is, if its clock is manual; else it has ours.
Result<google::protobuf::Timestamp> Resolve(Program& program, const Moment& moment);

CLI::Option* AddMomentOption(CLI::App& command, const std::string& name,
                             std::optional<Moment>& moment, const std::string& help);

}  // namespace wharf::tool
