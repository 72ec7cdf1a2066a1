// Root access: whether clients must prove who they are; and the first rule, which lets an operator
// in who has none yet.
//
// Used by main.cc while nothing else uses the store, and by a ClusterDaemon before a leadership
// begins.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "broker/access/access_key.h"
#include "broker/config/configuration.h"
#include "broker/schema/loader.h"
#include "storage/base/status.h"
#include "storage/write_batch.h"

namespace wharf {

// In the data folder, mode 0600: a connection string that may do everything.
inline constexpr char kRootFile[] = "root-connection-string";

struct RootAccess {
  // Makes it durable, and waits for that.
  std::function<Status(WriteBatch batch)> commit;
  std::string folder;
  // Where clients find the broker: "sb://127.0.0.1:5680/"; or why nobody knows.
  Result<std::string> endpoint;
  access::KeySource keys;
};

// And not to one of its queues or topics.
bool IsOfNamespace(const AccessRuleSet& rule);

// By what was said (config key `access`), where, and how many rules the folder has. One that has
// some is opened without them by the flag only, which nobody leaves behind: an error if it is said
// elsewhere.
Result<bool> IsAccessOn(const config::Configuration& configuration, std::size_t rules);

// If the namespace has no rule, it gets RootManageSharedAccessKey, also in the image; and its file
// is written, now or, if the last start ended between the two, the next time. An error, before
// anything is made, if there is no endpoint to write.
Status MakeRootAccess(const RootAccess& root, Timestamp now, BrokerImage& image);

}  // namespace wharf
