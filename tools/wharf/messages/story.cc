#include "tools/wharf/messages/story.h"

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

// "delivered"
std::string WordOf(const v1::MessageEvent& event) {
  return FieldToText(event, *v1::MessageEvent::descriptor()->FindFieldByNumber(
                                v1::MessageEvent::kKindFieldNumber));
}

std::string UntilText(const v1::MessageEvent& event, TimeDigits digits) {
  if (!event.has_until()) {
    return event.kind() == v1::MESSAGE_EVENT_KIND_DELIVERED ? ", as long as its session is locked"
                                                            : "";
  }
  const std::string time = TimeText(event.until(), digits);
  switch (event.kind()) {
    case v1::MESSAGE_EVENT_KIND_DELIVERED:
    case v1::MESSAGE_EVENT_KIND_LOCK_RENEWED:
      return ", locked until " + time;
    case v1::MESSAGE_EVENT_KIND_ABANDONED:
    case v1::MESSAGE_EVENT_KIND_LOCK_EXPIRED:
      return ", rests until " + time;
    default:
      return ", for " + time;
  }
}

std::string OtherText(const v1::MessageEvent& event) {
  const std::int64_t number = event.other_sequence_number();
  if (event.has_other_entity_path()) {
    const bool is_from = event.kind() == v1::MESSAGE_EVENT_KIND_FORWARDED_FROM ||
                         event.kind() == v1::MESSAGE_EVENT_KIND_REDRIVEN_FROM;
    return is_from ? fmt::format(" {}, where it was {}", event.other_entity_path(), number)
                   : fmt::format(" to {}, where it is {}", event.other_entity_path(), number);
  }
  return number == 0 ? "" : fmt::format(", was scheduled as {}", number);
}

// ", by amqp 127.0.0.1:41234 as orders#reader"
std::string WhoDidIt(const v1::MessageEvent& event) {
  if (event.door() == v1::DOOR_UNSPECIFIED && !event.has_client()) return "";
  std::string text =
      ", by " + FieldToText(event, *v1::MessageEvent::descriptor()->FindFieldByNumber(
                                       v1::MessageEvent::kDoorFieldNumber));
  if (event.has_client()) text += " " + event.client();
  if (event.has_identity()) text += " as " + event.identity();
  return text;
}

std::string WhatHappened(const v1::MessageEvent& event, TimeDigits digits) {
  std::string text = WordOf(event);
  std::replace(text.begin(), text.end(), '-', ' ');
  text += OtherText(event) + UntilText(event, digits) + WhoDidIt(event);
  if (event.delivery_count() > 0) {
    text += fmt::format(", failed deliveries: {}", event.delivery_count());
  }
  if (event.has_copy_count()) text += fmt::format(", copies: {}", event.copy_count());
  if (event.has_reason()) text += ": " + event.reason();
  return text;
}

}  // namespace

void SortAsTheyHappened(MessageEvents& events) {
  std::stable_sort(events.pointer_begin(), events.pointer_end(),
                   [](const auto* a, const auto* b) { return a->order() < b->order(); });
}

void PrintStory(Program& program, const MessageEvents& events, TimeDigits digits) {
  Table table({{"WHEN", Column::Kind::kWord},
               {"ENTITY", Column::Kind::kText},
               {"NUMBER", Column::Kind::kNumber},
               {"WHAT HAPPENED", Column::Kind::kProse}},
              program.out);
  for (const v1::MessageEvent& each : events) {
    table.Add({TimeText(each.time(), digits), each.entity_path(),
               std::to_string(each.sequence_number()), WhatHappened(each, digits)});
  }
  table.End();
}

}  // namespace wharf::tool
