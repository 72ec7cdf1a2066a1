// ScriptMutation: what a client says, a little different: pieces left out, repeated, moved, taken
// from other clients, and values within frames. Frames stay frames and mostly lists stay lists, so
// that what is changed is heard by who understands it, and not only by who cuts frames.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/amqp/scripts/client_script.h"

namespace wharf::amqp {

class ScriptMutation {
 public:
  using Generator = std::mt19937_64;
  // Changes some bytes; there is at least one of them.
  using ChangeBytes = std::function<void(std::string& bytes)>;

  // `others`: what is taken comes from them; not empty.
  ScriptMutation(const std::vector<ClientScript>& others, ChangeBytes change_bytes)
      : others_(others), change_bytes_(std::move(change_bytes)) {}

  void Change(ClientScript& script, Generator& random) const;

 private:
  void ChangePieces(std::vector<Said>& said, Generator& random) const;
  void ChangePiece(Said& said, Generator& random) const;
  const Said& AnyOfOthers(Generator& random) const;

  const std::vector<ClientScript>& others_;
  const ChangeBytes change_bytes_;
};

}  // namespace wharf::amqp
