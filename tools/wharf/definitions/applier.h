// Applier: does what a plan says, change by change, and tells how far it came.
//
// Each change is a request of its own, durable when it is answered; what was done stays done, and a
// plan that is made anew goes on from there. What somebody else has changed since the plan was made
// is refused by its etag, whether it is an entity, a rule or an access rule; a deletion looks once
// more at what the entity holds. Used on the main thread.
#pragma once

#include <map>
#include <string>

#include "storage/base/status.h"
#include "tools/client/client.h"
#include "tools/wharf/definitions/plan.h"

namespace wharf::tool {

class Applier {
 public:
  // `client` outlives it.
  Applier(client::Client& client, const PlanOptions& options)
      : client_(client), options_(options) {}

  Status Do(const Change& change);

 private:
  Status Create(const Change& change);
  Status CreateSubscription(const Change& change);
  Status Update(const Change& change);
  Status Replace(const Change& change);
  Status Delete(const Change& change);
  Status CheckIsEmpty(const Change& change);
  // Remembers how the entity is from now on.
  template <typename Properties>
  Status Note(const Change& change, const Result<Properties>& answer);
  // A request for the entity, conditional on how it was when the plan was made, or when this last
  // changed it.
  template <typename Request, typename Properties>
  Request UpdateOf(const Change& change, Properties properties,
                   Properties* (Request::*properties_of)()) const;

  client::Client& client_;
  const PlanOptions options_;
  // By their paths, of what this has made or changed.
  std::map<std::string, std::string> etags_;
};

// Whether the broker takes the rules that the plan brings; those that it does not are obstacles
// from now on. Nothing is changed. Fails if it cannot be asked.
Status CheckRules(client::Client& client, Plan& plan);

}  // namespace wharf::tool
