// Place and Route: where messages may lie, and the ways that they take from one place to the next.
//
//   send to "news"  --> first, second            every message
//                   --> red                      subject "red" (a correlation filter)
//                   --> large                    property "size" of 1000 and up (an SQL filter)
//                   --> onward --> relay --> end every message, forwarded twice
//   send to "relay" -------------> relay --> end forwarded once
//   send to "from"  --> from --> to              moved, in transactions
//
// A copy of a message travels on one route, and at any time lies in one place of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "wharf/v1/message.pb.h"

namespace wharf::crash {

// Along every route they rise.
enum class Place : std::uint8_t {
  kFirst,
  kSecond,
  kRed,
  kLarge,
  kOnward,
  kRelay,
  kEnd,
  kFrom,
  kTo,
};

inline constexpr std::array kPlaces = {Place::kFirst, Place::kSecond, Place::kRed,
                                       Place::kLarge, Place::kOnward, Place::kRelay,
                                       Place::kEnd,   Place::kFrom,   Place::kTo};
inline constexpr char kTopic[] = "news";

// What messages are sent to.
enum class Target : std::uint8_t { kTopic, kRelay, kFrom };

struct Route {
  // First to last.
  std::vector<Place> places;
  // Where a copy lies when nothing is on its way any more.
  Place rest;
};

bool IsSubscription(Place place);
// Of a queue, or of a subscription without its topic.
std::string NameOf(Place place);
// Where it is received from.
std::string PathOf(Place place);
// Where it is sent to.
std::string PathOf(Target target);

// Says in the message's properties what the filters ask for.
void SetProperties(bool is_red, v1::Message& message);
// One for each copy of the message that is to be there.
std::vector<Route> RoutesOf(Target target, const v1::Message& message);

}  // namespace wharf::crash
