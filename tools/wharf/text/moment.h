// Moment: a point in time on the command line, said outright or from the broker's now.
//
//   moment = ISO 8601, "2026-01-31T12:00:00Z", "2026-01-31T12:00:00+01:00"
//          / the same without a zone, which is that of this machine, "2026-01-31 12:00"
//          / ( "+" / "-" ) duration, "+1h30m"
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

// For what only makes sense in the future: ArgumentError if it is over.
Result<google::protobuf::Timestamp> ResolveFuture(Program& program, const Moment& moment);
// Says why a time could not be resolved: bad usage, unless the broker failed to tell the time.
ExitCode FailTime(Program& program, const Status& status);

CLI::Option* AddMomentOption(CLI::App& command, const std::string& name,
                             std::optional<Moment>& moment, const std::string& help);

}  // namespace wharf::tool
