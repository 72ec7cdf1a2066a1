// Interrupt: whether somebody asked this program to come to an end, with SIGINT or SIGTERM, while
// it goes on until it can be judged. Asked a second time it ends at once.
//
// One in a program at a time, made before its threads are; any thread may look.
#pragma once

#include <csignal>

namespace wharf {

class Interrupt {
 public:
  Interrupt() {
    struct sigaction action = {};
    action.sa_handler = [](int) { is_asked_ = 1; };
    // Go's runtime, where it is loaded, wants handlers on its own stack.
    action.sa_flags = SA_RESTART | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_int_);
    sigaction(SIGTERM, &action, &before_term_);
  }
  ~Interrupt() {
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
    is_asked_ = 0;
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool is_asked() const { return is_asked_ != 0; }

 private:
  static inline volatile std::sig_atomic_t is_asked_ = 0;

  struct sigaction before_int_ = {};
  struct sigaction before_term_ = {};
};

}  // namespace wharf
