// Transcript: what changed in the broker, as lines for people.
//
// Entities go by their names, lock tokens by the order in which they appeared (T1, T2), times by
// minutes and seconds since the harness started. Counters are not printed: `show` asks for them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "broker/engine/shard.h"

namespace wharf {

class Transcript final : public ChangeListener {
 public:
  void OnChanges(const Changes& changes) override;

  // What was written since the last call.
  std::vector<std::string> TakeLines();

  // The token that goes by this name; one that no lock has, if none does.
  LockToken TokenNamed(const std::string& name) const;

 private:
  friend class ChangePrinter;

  std::string NameOf(LaneId lane) const;
  // Gives it a name, if it has none yet.
  std::string NameOf(const LockToken& token);

  std::map<EntityId, std::string> entities_;
  std::vector<LockToken> tokens_;
  std::vector<std::string> lines_;
};

// "mm:ss" since the harness started, with milliseconds if there are any; "never" for kNever.
std::string TextOf(Timestamp time);

// " property.color=red" for each, in their order.
std::string TextOf(const PropertyMap& properties);

// The value in quotes if it has spaces.
std::string QuotedValue(std::string_view value);

}  // namespace wharf
