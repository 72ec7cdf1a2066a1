// NodeAccess: who may do what on a node of a cluster, whoever leads.
//
// The rules are rows of the state, so every node has them, and obeys those that it applied. The
// first one is made by whoever leads when there is none, as a change in the log; a node that waits
// makes none. Used by a ClusterDaemon, on the threads that are named.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "broker/access/client_rules.h"
#include "broker/access/guard.h"
#include "broker/config/settings.h"
#include "broker/daemon/cluster/followed_book.h"
#include "broker/schema/loader.h"
#include "storage/base/status.h"
#include "storage/base/ticker.h"
#include "storage/commit_log.h"

namespace wharf {

class NodeAccess {
 public:
  // kFromFirstRule: nobody said whether, or said no in another way than by the flag, which nobody
  // leaves behind. Then rules are obeyed from the first that this node applies: how many its folder
  // has it knows only when its log is applied.
  enum class Mode : std::uint8_t { kOff, kOn, kFromFirstRule };

  struct Options {
    Mode mode = Mode::kOff;
    // Whom others vouch for.
    std::shared_ptr<const access::ClientRules> clients{};
    // Where the connection string of the first rule is written.
    std::string folder{};
    // Who says that access is off, in the words of the configuration; empty: nobody does.
    std::string says_off{};
    // Where clients find this node, or why nobody knows.
    Result<std::string> endpoint{std::string()};
  };
  // All of it outlives it.
  struct World {
    const Store& store;
    // Hears of what is applied, after it.
    CommitLog::ApplyListener& next;
    // Rules cannot be read: the process ends for this reason.
    std::function<void(Status)> fail;
  };

  NodeAccess(Options options, World world);

  // Null: everybody may do everything. Any thread.
  access::Guard* guard() const { return guard_.get(); }
  // Hears of what is applied.
  CommitLog::ApplyListener& listener();
  // Reads the rules that there are, and from now on those that come. Before anybody is let in.
  Status Begin();
  // Nobody applies any more.
  void End() { looks_.reset(); }
  // Of the settings, what a reload takes over.
  Status Take(const config::Settings& settings);

  // --- on the thread of the leaderships ---
  // Before a leadership begins on this image: makes the first rule, which is committed when this
  // returns, and its file, if they are due; waits for the log. Who may do what meanwhile is the
  // shard's to say. An error that may pass by itself: this node leads no more.
  Result<access::Guard*> BeginLeading(CommitLog& log, Timestamp now, BrokerImage& image);
  void EndLeading();

  // The file with a connection string that may do everything; empty: there is none here.
  std::string root_file() const;

 private:
  void Look();
  void KeepKeys(std::size_t rules);
  void WarnOnce();
  Status MakeRoot(CommitLog& log, Timestamp now, BrokerImage& image) const;

  const Options options_;
  const World world_;
  const std::unique_ptr<access::Guard> guard_;
  // Null: there is no guard.
  const std::unique_ptr<FollowedBook> book_;
  std::atomic<bool> keeps_keys_ = false;
  std::atomic<bool> has_warned_ = false;
  std::unique_ptr<Ticker> looks_;
};

}  // namespace wharf
