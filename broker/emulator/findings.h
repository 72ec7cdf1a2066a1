// Findings: what is wrong with a Config.json, each with its place: the line, and the path in it.
//
//   Config.json:12: UserConfig.Namespaces[0].Queues[1].Properties.LockDuration takes ...
//
// Used while it is read, and when it is compared with what there is; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "broker/config/complaints.h"

namespace wharf::emulator {

// A value in the file.
struct Where {
  std::string path{};
  std::size_t line = 0;
};

std::string SentenceAt(const std::string& file, const Where& where, std::string_view what);

class Findings {
 public:
  // `complaints` outlives it.
  Findings(std::string file, config::Complaints& complaints)
      : file_(std::move(file)), complaints_(complaints) {}

  // `what` goes on behind the path: "takes true or false, not 7".
  void Add(const Where& where, std::string_view what) {
    complaints_.Add(SentenceAt(file_, where, what));
  }

 private:
  const std::string file_;
  config::Complaints& complaints_;
};

}  // namespace wharf::emulator
