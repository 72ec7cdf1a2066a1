// Asker: as whom somebody asks for jobs and transactions, which belong to the rule of access that
// began them.
//
// A plain value; made by the pipeline of what the caller has proven.
#pragma once

#include <string>

namespace wharf {

struct Asker {
  // Path and name of the rule, whichever of its keys; empty: nobody has to prove anything.
  std::string owner{};
  // May see and end what others began.
  bool sees_all = true;

  bool Sees(const std::string& other) const { return sees_all || owner == other; }
};

}  // namespace wharf
