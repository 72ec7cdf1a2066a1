// AtomPlace: what a path of management means: an entity, a rule, a list of them, or the namespace.
// It is taken apart from the right, because names of entities may have '/' in them. Pure function.
//
//   {queue or topic}
//   {topic}/Subscriptions/{name}
//   {topic}/Subscriptions/{name}/Rules/{rule}
//   $Resources/Queues, $Resources/Topics, {topic}/Subscriptions, {subscription}/Rules
//   $namespaceinfo
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wharf::atom {

struct AtomPlace {
  enum class Kind : std::uint8_t {
    kEntity,        // A queue or a topic: its path does not say which.
    kSubscription,  // `entity` is its path.
    kRule,          // `entity` is that of its subscription.
    kQueues,        // All of them, as below.
    kTopics,
    kSubscriptions,  // Of the topic `entity`.
    kRules,          // Of the subscription `entity`.
    kNamespace,
    kNothing,  // A word that begins with '$' and means nothing here.
  };
  Kind kind = Kind::kEntity;
  std::string entity{};
  std::string rule{};

  friend bool operator==(const AtomPlace&, const AtomPlace&) = default;
};

// Of a path without its escapes; '/' at its ends mean nothing. Words of ours may be in any case.
AtomPlace PlaceOf(std::string_view path);

}  // namespace wharf::atom
