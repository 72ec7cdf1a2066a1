#include "tools/wharf/receiving/settlement_verb.h"

#include <google/protobuf/util/time_util.h>

#include "storage/base/duration_text.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {

using google::protobuf::util::TimeUtil;

const std::map<std::string, Verb>& VerbsByName() {
  static const std::map<std::string, Verb> kVerbs = {{"complete", Verb::kComplete},
                                                     {"abandon", Verb::kAbandon},
                                                     {"defer", Verb::kDefer},
                                                     {"dead-letter", Verb::kDeadLetter},
                                                     {"release", Verb::kRelease}};
  return kVerbs;
}

bool GivesBack(std::optional<Verb> verb) {
  return verb == Verb::kAbandon || verb == Verb::kRelease;
}

v1::DeadLetter MakeDeadLetter(const VerbDetails& details) {
  v1::DeadLetter dead_letter;
  if (!details.reason.empty()) dead_letter.set_reason(details.reason);
  if (!details.description.empty()) dead_letter.set_description(details.description);
  *dead_letter.mutable_properties_to_modify() = details.properties_to_modify;
  return dead_letter;
}

v1::Settlement MakeSettlement(Verb verb, const VerbDetails& details) {
  v1::Settlement settlement;
  switch (verb) {
    case Verb::kComplete:
      settlement.mutable_complete();
      break;
    case Verb::kAbandon: {
      v1::Abandon& abandon = *settlement.mutable_abandon();
      *abandon.mutable_properties_to_modify() = details.properties_to_modify;
      if (details.delay) {
        *abandon.mutable_delay() = TimeUtil::MicrosecondsToDuration(details.delay->count());
      }
      if (details.available_at) *abandon.mutable_available_at() = *details.available_at;
      break;
    }
    case Verb::kDefer:
      *settlement.mutable_defer()->mutable_properties_to_modify() = details.properties_to_modify;
      break;
    case Verb::kDeadLetter:
      *settlement.mutable_dead_letter() = MakeDeadLetter(details);
      break;
    case Verb::kRelease:
      settlement.mutable_release();
      break;
  }
  return settlement;
}

void AddReasonOptions(CLI::App& command, const std::string& when, VerbDetails& details) {
  command.add_option("--reason", details.reason, when + "The reason, at most 4096 characters")
      ->check(CheckUtf8);
  command
      .add_option("--description", details.description,
                  when + "The description, at most 4096 characters")
      ->check(CheckUtf8);
}

void AddRestOptions(CLI::App& command, const std::string& when, VerbDetails& details,
                    std::optional<Moment>& until) {
  const auto set = [&details](const std::string& text) {
    const Result<Duration> delay = ParseDuration(text);
    if (!delay.ok()) throw CLI::ValidationError("--delay", delay.status().message());
    details.delay = *delay;
  };
  CLI::Option* delay =
      command
          .add_option_function<std::string>(
              "--delay", set,
              when +
                  "How long it rests before it is available again, at most 7d; default: as the "
                  "queue's retry policy says")
          ->type_name("DURATION");
  AddMomentOption(command, "--until", until,
                  when + "Until when it rests: 2026-01-31T12:00:00Z, or +1h30m from now")
      ->excludes(delay);
}

Status ResolveRest(Program& program, const std::optional<Moment>& until, VerbDetails& details) {
  if (!until) return {};
  const auto time = Resolve(program, *until);
  if (time.ok()) details.available_at = *time;
  return time.status();
}

void CheckDetails(std::optional<Verb> verb, const VerbDetails& details,
                  const std::optional<Moment>& until) {
  if (verb != Verb::kDeadLetter && !(details.reason.empty() && details.description.empty())) {
    throw CLI::ValidationError("--reason and --description belong to dead-letter only");
  }
  if (verb != Verb::kAbandon && (details.delay || until)) {
    throw CLI::ValidationError("--delay and --until belong to abandon only");
  }
  const bool modifies = verb == Verb::kAbandon || verb == Verb::kDefer || verb == Verb::kDeadLetter;
  if (!modifies && !details.properties_to_modify.empty()) {
    throw CLI::ValidationError("--property belongs to abandon, defer and dead-letter only");
  }
}

}  // namespace wharf::tool
