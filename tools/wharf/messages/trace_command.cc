#include "tools/wharf/messages/trace_command.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/messages/story.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/number_option.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

// Nobody waits longer for one answer: it looks at about two million messages in a second.
constexpr std::uint64_t kLookedAtMax = 10'000'000;

struct TraceOptions {
  std::string wanted;
  bool is_id = false;
  v1::TraceMessageRequest request;
  std::uint64_t looked_at_max = kLookedAtMax;
};

bool IsNumber(const std::string& text) {
  const auto is_digit = [](char each) { return each >= '0' && each <= '9'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string StateOf(const v1::MessagePlace& place) {
  if (place.message().has_available_at()) return "delayed";
  if (place.wait() == v1::MESSAGE_WAIT_LOCK) return "locked";
  return FieldToText(place.message(), *v1::ReceivedMessage::descriptor()->FindFieldByNumber(
                                          v1::ReceivedMessage::kStateFieldNumber));
}

std::string LockText(const v1::MessagePlace& place) {
  std::string text = place.message().has_locked_until()
                         ? "its lock ends " + TimeText(place.message().locked_until())
                         : "its session holds it";
  if (place.has_locked_by()) text += ", held by " + place.locked_by();
  if (place.has_locked_since()) text += " since " + TimeText(place.locked_since());
  return text;
}

// What it waits for, in a few words.
std::string WaitText(const v1::MessagePlace& place) {
  const v1::ReceivedMessage& message = place.message();
  switch (place.wait()) {
    case v1::MESSAGE_WAIT_RECEIVER:
      return place.is_next() ? "a receiver: it is the next" : "its turn, and a receiver";
    case v1::MESSAGE_WAIT_LOCK:
      return LockText(place);
    case v1::MESSAGE_WAIT_SESSION:
      return fmt::format("a receiver that accepts the session {}", message.message().session_id());
    case v1::MESSAGE_WAIT_SESSION_LOCK:
      return fmt::format("who holds the session {}", message.message().session_id());
    case v1::MESSAGE_WAIT_SCHEDULED_TIME:
      return "its time, " + TimeText(message.message().scheduled_enqueue_time());
    case v1::MESSAGE_WAIT_DELAY:
      return "the end of its rest, " + TimeText(message.available_at());
    case v1::MESSAGE_WAIT_DEFERRED:
      return "who asks for its number";
    case v1::MESSAGE_WAIT_QUARANTINE:
      return "an operator: it cannot be read";
    case v1::MESSAGE_WAIT_ENTITY_STATUS:
      return "that receiving is enabled";
    case v1::MESSAGE_WAIT_FORWARDING:
      return "to be forwarded to " + place.forward_to();
    case v1::MESSAGE_WAIT_EXPIRY:
      return "to be removed: its time to live is over";
    default:
      return "";
  }
}

std::string JobsText(const v1::MessagePlace& place) {
  std::string text;
  for (const auto job : place.job_ids()) text += fmt::format("; job {} comes to it", job);
  return text;
}

Json PlaceToJson(const v1::MessagePlace& place) {
  v1::MessagePlace rest = place;
  rest.clear_message();
  Json json = FieldsToJson(rest);
  json["message"] = ToJson(place.message());
  json["message"].erase("body");
  return json;
}

// All pages, as one answer; what next_page_token says is left: where it was given up.
Result<v1::TraceMessageResponse> Search(Program& program, TraceOptions& options) {
  v1::TraceMessageResponse all;
  ProgressBar progress(std::nullopt, "messages looked at");
  for (;;) {
    const auto page = program.client().TraceMessage(options.request);
    if (!page.ok()) return page.status();
    const std::int64_t looked_at = all.looked_at_count() + page->looked_at_count();
    const std::int64_t entities = all.entity_count() + page->entity_count();
    all.MergeFrom(*page);
    all.set_looked_at_count(looked_at);
    all.set_entity_count(entities);
    all.set_next_page_token(page->next_page_token());
    progress.Update(static_cast<std::uint64_t>(looked_at));
    const bool is_enough = options.looked_at_max != 0 &&
                           static_cast<std::uint64_t>(looked_at) >= options.looked_at_max;
    if (page->next_page_token().empty() || is_enough) return all;
    options.request.set_page_token(page->next_page_token());
  }
}

void PrintPlaces(Program& program, const v1::TraceMessageResponse& found) {
  Table table({{"ENTITY", Column::Kind::kText},
               {"NUMBER", Column::Kind::kNumber},
               {"STATE", Column::Kind::kWord},
               {"ENQUEUED", Column::Kind::kWord, /*is_optional=*/true},
               {"TRIES", Column::Kind::kNumber, /*is_optional=*/true},
               {"WAITS FOR", Column::Kind::kText}},
              program.out);
  for (const v1::MessagePlace& place : found.places()) {
    const v1::ReceivedMessage& message = place.message();
    table.Add({place.entity_path(), std::to_string(message.sequence_number()), StateOf(place),
               TimeText(message.enqueued_time()), std::to_string(message.delivery_count()),
               WaitText(place) + JobsText(place)});
  }
  table.End();
}

void PrintRest(Program& program, const v1::TraceMessageResponse& found) {
  for (const v1::RememberedMessageId& each : found.remembered()) {
    program.out.Print("{} remembers the id, as that of its message {}, until {}\n",
                      each.entity_path(), each.sequence_number(), TimeText(each.forgotten_at()));
  }
  for (const std::string& each : found.fenced_entity_paths()) {
    program.out.Print("{} was not looked into: it is fenced\n", each);
  }
  program.out.Print("{} in {} entities; {} messages were looked at\n",
                    found.places_size() == 0 ? std::string("not found")
                                             : fmt::format("{} found", found.places_size()),
                    found.entity_count(), found.looked_at_count());
  if (!found.next_page_token().empty()) {
    program.out.Print("there is more to look at: --limit 0, or --entity\n");
  }
}

void PrintObject(Program& program, const v1::TraceMessageResponse& found) {
  Json json{{"places", Json::array()},
            {"remembered", Json::array()},
            {"events", Json::array()},
            {"fenced_entity_paths", Json::array()}};
  for (const auto& each : found.places()) json["places"].push_back(PlaceToJson(each));
  for (const auto& each : found.remembered()) json["remembered"].push_back(FieldsToJson(each));
  for (const auto& each : found.events()) json["events"].push_back(FieldsToJson(each));
  for (const auto& each : found.fenced_entity_paths()) json["fenced_entity_paths"].push_back(each);
  json["looked_at_count"] = found.looked_at_count();
  json["entity_count"] = found.entity_count();
  json["is_complete"] = found.next_page_token().empty();
  program.out.PrintJson(json);
}

ExitCode Trace(Program& program, TraceOptions& options) {
  if (options.is_id || !IsNumber(options.wanted)) {
    options.request.set_message_id(options.wanted);
  } else {
    const auto number = ParseNumber(options.wanted, RangeOf<std::int64_t>());
    if (!number.ok()) return program.FailUsage(number.status());
    options.request.set_sequence_number(static_cast<std::int64_t>(*number));
  }
  auto found = Search(program, options);
  if (!found.ok()) return program.Fail(found.status());
  // The same number in two entities is two messages.
  if (options.request.has_message_id()) SortAsTheyHappened(*found->mutable_events());
  if (program.is_json) {
    PrintObject(program, *found);
  } else {
    if (found->places_size() > 0) PrintPlaces(program, *found);
    if (found->events_size() > 0) PrintStory(program, found->events());
    PrintRest(program, *found);
  }
  const bool is_known =
      found->places_size() > 0 || found->remembered_size() > 0 || found->events_size() > 0;
  return is_known ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace

void AddTraceCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App& command = *app.add_subcommand(
      "trace",
      "Where is my message? Look for it in all entities, among dead letters, deferred and "
      "scheduled "
      "ones, too, and tell who holds it and what it waits for; and, of entities with an event log "
      "(--event-log-size-in-kilobytes), what happened to it, also when it is gone. There is no "
      "index of message ids: "
      "messages are walked over, page by page. Exit code 1 if nothing is known of it");
  command
      .add_option("MESSAGE", options->wanted,
                  "Its message id; digits alone are a sequence number, which each entity gives for "
                  "itself")
      ->required()
      ->check(CheckUtf8);
  command.add_flag("--id", options->is_id, "It is a message id, though it has digits alone");
  command
      .add_option_function<std::string>(
          "--entity",
          [options](const std::string& path) { options->request.set_entity_path(path); },
          "Only in this queue or subscription, or in this topic and its subscriptions; then Listen "
          "on that is enough")
      ->type_name("PATH")
      ->check(CheckUtf8);
  AddNumberOption(command, "--limit", options->looked_at_max,
                  "Give up after about so many messages that were looked at; 0 for never");
  command.callback([options, &program] {
    program.action = [options, &program] { return Trace(program, *options); };
  });
}

}  // namespace wharf::tool
