// Complaints: all that is wrong with a configuration, a sentence each, and not too many. Used by
// what reads it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wharf::config {

class Complaints {
 public:
  // The first of them are kept, and how many there are in all.
  void Add(std::string sentence);

  bool empty() const { return count_ == 0; }
  // As they are told, the last line saying how many are left out.
  std::vector<std::string> Lines() const;

 private:
  std::vector<std::string> sentences_;
  std::size_t count_ = 0;
};

}  // namespace wharf::config
