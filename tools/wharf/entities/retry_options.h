// RetryOptions: the retry policy of an entity as options of the command line.
//
// Used by `wharf queue` and `wharf subscription`, on the main thread.
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "storage/base/status.h"
#include "wharf/v1/management.pb.h"
#include "wharf/v1/topics.pb.h"

namespace wharf::tool {

// What the command line gave of a policy, by field; nothing else of it changes.
struct GivenRetryPolicy {
  std::map<std::string, std::string> fields;
  bool is_none = false;
};

void AddRetryOptions(CLI::App& command, GivenRetryPolicy& given);
// For a new entity: ArgumentError if only details of a policy are given, which by itself is none.
Status CheckNew(const GivenRetryPolicy& given);
void Apply(const GivenRetryPolicy& given, v1::QueueProperties& queue);
void Apply(const GivenRetryPolicy& given, v1::SubscriptionProperties& subscription);
// Adds what is given to what an update sets.
void AddTo(google::protobuf::FieldMask& mask, const GivenRetryPolicy& given);

}  // namespace wharf::tool
