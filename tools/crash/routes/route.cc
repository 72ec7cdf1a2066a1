#include "tools/crash/routes/route.h"

#include <fmt/core.h>

namespace wharf::crash {
namespace {

constexpr char kRedSubject[] = "red";
constexpr char kSize[] = "size";
// As the filter of "large" says.
constexpr std::int64_t kLargeBytes = 1000;

}  // namespace

bool IsSubscription(Place place) { return place <= Place::kOnward; }

std::string NameOf(Place place) {
  switch (place) {
    case Place::kFirst:
      return "first";
    case Place::kSecond:
      return "second";
    case Place::kRed:
      return "red";
    case Place::kLarge:
      return "large";
    case Place::kOnward:
      return "onward";
    case Place::kRelay:
      return "relay";
    case Place::kEnd:
      return "end";
    case Place::kFrom:
      return "from";
    case Place::kTo:
      return "to";
  }
  return "";
}

std::string PathOf(Place place) {
  if (!IsSubscription(place)) return NameOf(place);
  return fmt::format("{}/Subscriptions/{}", kTopic, NameOf(place));
}

std::string PathOf(Target target) {
  if (target == Target::kTopic) return kTopic;
  return PathOf(target == Target::kRelay ? Place::kRelay : Place::kFrom);
}

void SetProperties(bool is_red, v1::Message& message) {
  message.set_subject(is_red ? kRedSubject : "blue");
  (*message.mutable_application_properties())[kSize].set_int64_value(
      static_cast<std::int64_t>(message.body().size()));
}

std::vector<Route> RoutesOf(Target target, const v1::Message& message) {
  if (target == Target::kRelay) return {{{Place::kRelay, Place::kEnd}, Place::kEnd}};
  if (target == Target::kFrom) return {{{Place::kFrom, Place::kTo}, Place::kFrom}};
  std::vector<Route> routes = {{{Place::kFirst}, Place::kFirst},
                               {{Place::kSecond}, Place::kSecond},
                               {{Place::kOnward, Place::kRelay, Place::kEnd}, Place::kEnd}};
  if (message.subject() == kRedSubject) routes.push_back({{Place::kRed}, Place::kRed});
  if (message.application_properties().at(kSize).int64_value() >= kLargeBytes) {
    routes.push_back({{Place::kLarge}, Place::kLarge});
  }
  return routes;
}

}  // namespace wharf::crash
