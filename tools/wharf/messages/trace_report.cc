#include "tools/wharf/messages/trace_report.h"

#include <string>
#include <utility>

#include <fmt/core.h>

#include "broker/core/entities/names.h"
#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

constexpr const char* kObjectBegin = "{\"places\":[";

std::string StateOf(const v1::MessagePlace& place) {
  if (place.message().has_available_at()) return "delayed";
  if (place.wait() == v1::MESSAGE_WAIT_LOCK) return "locked";
  return FieldToText(place.message(), *v1::ReceivedMessage::descriptor()->FindFieldByNumber(
                                          v1::ReceivedMessage::kStateFieldNumber));
}

std::string LockText(const v1::MessagePlace& place, TimeDigits digits) {
  std::string text = place.message().has_locked_until()
                         ? "its lock ends " + TimeText(place.message().locked_until(), digits)
                         : "its session holds it";
  if (place.has_locked_by()) text += ", held by " + place.locked_by();
  if (place.has_locked_since()) text += " since " + TimeText(place.locked_since(), digits);
  return text;
}

std::string SessionLockText(const v1::MessagePlace& place, TimeDigits digits) {
  std::string text =
      fmt::format("who holds the session {}", place.message().message().session_id());
  if (place.has_locked_by()) text += ", " + place.locked_by();
  if (place.has_locked_since()) text += ", since " + TimeText(place.locked_since(), digits);
  return text;
}

// What it waits for, in a few words.
std::string WaitText(const v1::MessagePlace& place, TimeDigits digits) {
  const v1::ReceivedMessage& message = place.message();
  switch (place.wait()) {
    case v1::MESSAGE_WAIT_RECEIVER:
      return place.is_next() ? "a receiver: it is the next" : "its turn, and a receiver";
    case v1::MESSAGE_WAIT_LOCK:
      return LockText(place, digits);
    case v1::MESSAGE_WAIT_SESSION:
      return fmt::format("a receiver that accepts the session {}", message.message().session_id());
    case v1::MESSAGE_WAIT_SESSION_LOCK:
      return SessionLockText(place, digits);
    case v1::MESSAGE_WAIT_SCHEDULED_TIME:
      return "its time, " + TimeText(message.message().scheduled_enqueue_time(), digits);
    case v1::MESSAGE_WAIT_DELAY:
      return "the end of its rest, " + TimeText(message.available_at(), digits);
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

std::string LineOf(const Json& json) { return WithJsonEscapes(ToLine(json)); }

template <typename List>
Json ListToJson(const List& list) {
  Json json = Json::array();
  for (const auto& each : list) json.push_back(FieldsToJson(each));
  return json;
}

}  // namespace

void TraceReport::Add(const v1::TraceMessageResponse& page) {
  for (const v1::MessagePlace& place : page.places()) {
    if (IsWanted(place.entity_path())) AddPlace(place);
  }
  for (const v1::RememberedMessageId& each : page.remembered()) remembered_.push_back(each);
  for (const v1::MessageEvent& each : page.events()) {
    if (IsWanted(each.entity_path())) *events_.Add() = each;
  }
  for (const std::string& each : page.fenced_entity_paths()) fenced_.push_back(each);
  has_untold_stories_ = has_untold_stories_ || page.has_untold_stories();
  unreadable_event_places_ += page.unreadable_event_places();
  looked_at_count_ += page.looked_at_count();
  entity_count_ += page.entity_count();
}

bool TraceReport::IsWanted(const std::string& path) const {
  return only_path_.empty() || FoldPath(path) == FoldPath(only_path_);
}

void TraceReport::AddPlace(const v1::MessagePlace& place) {
  if (program_.is_json) {
    program_.out.Write((place_count_ == 0 ? kObjectBegin : ",") + LineOf(PlaceToJson(place)));
  } else {
    AddRow(place);
  }
  ++place_count_;
}

void TraceReport::AddRow(const v1::MessagePlace& place) {
  if (!table_) {
    table_.emplace(std::vector<Column>{{"ENTITY", Column::Kind::kText},
                                       {"NUMBER", Column::Kind::kNumber},
                                       {"STATE", Column::Kind::kWord},
                                       {"ENQUEUED", Column::Kind::kWord, /*is_optional=*/true},
                                       {"TRIES", Column::Kind::kNumber, /*is_optional=*/true},
                                       {"WAITS FOR", Column::Kind::kProse}},
                   program_.out);
  }
  const v1::ReceivedMessage& message = place.message();
  table_->Add({place.entity_path(), std::to_string(message.sequence_number()), StateOf(place),
               TimeText(message.enqueued_time(), digits_), std::to_string(message.delivery_count()),
               WaitText(place, digits_) + JobsText(place)});
}

void TraceReport::End(bool is_complete) {
  if (order_ == EventOrder::kAsTheyHappened) SortAsTheyHappened(events_);
  if (program_.is_json) return EndObject(is_complete);
  if (table_) table_->End();
  if (!events_.empty()) PrintStory(program_, events_, digits_);
  for (const v1::RememberedMessageId& each : remembered_) {
    program_.out.Print("{} remembers the id, as that of its message {}, until {}\n",
                       each.entity_path(), each.sequence_number(),
                       TimeText(each.forgotten_at(), digits_));
  }
  if (has_untold_stories_) {
    program_.out.Print(
        "more messages of an entity have the id than stories are told: look for "
        "others by their numbers\n");
  }
  if (unreadable_event_places_ > 0) {
    program_.out.Print("places at which event logs cannot be read: {}; not all may be told\n",
                       unreadable_event_places_);
  }
  for (const std::string& each : fenced_) {
    program_.out.Print("{} was not looked into: it is fenced\n", each);
  }
  program_.out.Print(
      "{} in {} entities; {} messages were looked at\n",
      place_count_ == 0 ? std::string("not found") : fmt::format("{} found", place_count_),
      entity_count_, looked_at_count_);
  if (!is_complete) program_.out.Print("there is more to look at: --limit 0, or --entity\n");
}

void TraceReport::EndObject(bool is_complete) {
  const std::string begin = place_count_ == 0 ? kObjectBegin : "";
  const std::string rest = LineOf({{"remembered", ListToJson(remembered_)},
                                   {"events", ListToJson(events_)},
                                   {"fenced_entity_paths", fenced_},
                                   {"has_untold_stories", has_untold_stories_},
                                   {"unreadable_event_places", unreadable_event_places_},
                                   {"looked_at_count", looked_at_count_},
                                   {"entity_count", entity_count_},
                                   {"is_complete", is_complete}});
  // The places are one of its keys.
  program_.out.Write(begin + "]," + rest.substr(1) + "\n");
}

}  // namespace wharf::tool
