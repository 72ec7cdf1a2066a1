// The verbs that settle a message, by their names on the command line.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tools/wharf/text/moment.h"
#include "wharf/v1/messaging.pb.h"

namespace wharf::tool {

enum class Verb { kComplete, kAbandon, kDefer, kDeadLetter, kRelease };

const std::map<std::string, Verb>& VerbsByName();
// Whether the message is available again at once, or after a rest. None: it stays locked.
bool GivesBack(std::optional<Verb> verb);

// What the verb says besides itself; each verb takes what it knows.
struct VerbDetails {
  std::string reason;
  std::string description;
  // Abandon: at most one of them.
  std::optional<Duration> delay;
  std::optional<google::protobuf::Timestamp> available_at;
  google::protobuf::Map<std::string, v1::PropertyValue> properties_to_modify;
};

// A settlement without tokens.
v1::Settlement MakeSettlement(Verb verb, const VerbDetails& details = {});
v1::DeadLetter MakeDeadLetter(const VerbDetails& details);

// --reason and --description; `when` leads their help.
void AddReasonOptions(CLI::App& command, const std::string& when, VerbDetails& details);
// --delay, and --until into `until`.
void AddRestOptions(CLI::App& command, const std::string& when, VerbDetails& details,
                    std::optional<Moment>& until);
// What --until means now.
Status ResolveRest(Program& program, const std::optional<Moment>& until, VerbDetails& details);
// Bad usage if something was given that the verb does not know.
void CheckDetails(std::optional<Verb> verb, const VerbDetails& details,
                  const std::optional<Moment>& until);

}  // namespace wharf::tool
