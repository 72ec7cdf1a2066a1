// Health: whether the broker can do its work, and if not, why; and whether it was told to be open
// to others without proof or encryption, which is no ailment and yet should be seen.
//
// Told by the daemon and its watchdog, shown by the doors: /readyz, and the health of gRPC, which
// hears of each change. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {

enum class Ailment : std::uint8_t {
  kStarting,
  kStopping,
  kClosedLog,
  kFullDisk,
  kSlowDisk,
  kHungTurn
};

// As /readyz and the metrics name it: "full-disk".
std::string_view NameOf(Ailment ailment);
// All there are.
std::vector<Ailment> AllAilments();
// A disk that is slow or full is the same after a restart; a turn that hangs is not.
bool IsHealedByRestart(Ailment ailment);

class Health {
 public:
  struct Finding {
    Ailment ailment;
    std::string why;
  };
  // Of a node of a cluster: whether the broker is here now, and how the node takes part, in a
  // sentence.
  struct Part {
    bool leads = false;
    std::string how;
  };
  // Told when it becomes well or ill, one after another.
  using Watch = std::function<void(bool is_well)>;

  // It begins with kStarting.
  explicit Health(bool is_insecure = false);

  void Note(Ailment ailment, std::string why);
  void Heal(Ailment ailment);

  bool is_well() const;
  // Nothing is wrong that a restart would heal.
  bool is_alive() const;
  // By the configuration (`insecure`).
  bool is_insecure() const { return is_insecure_; }
  // In the order of Ailment; none: it is well.
  std::vector<Finding> findings() const;

  void SetPart(Part part);
  // Nothing: the broker runs by itself.
  std::optional<Part> part() const;

  // Told now, too. Empty: nobody any more. It must not call back.
  void SetWatch(Watch watch);

 private:
  void TellIfChanged(bool was_well) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const bool is_insecure_;
  mutable Mutex mutex_;
  std::map<Ailment, std::string> findings_ ABSL_GUARDED_BY(mutex_);
  std::optional<Part> part_ ABSL_GUARDED_BY(mutex_);
  Watch watch_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
