// Permit: what a caller has proven: that it knows a key of a rule, or who it is; for what, and
// until when.
//
// It has no key in it. It is worth something only with a book (book.h): what its rule allows stands
// there, and whether the key is still one of its two; and, of who was named, with the rules of
// clients (client_rules.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/access/access_key.h"
#include "storage/base/time.h"

namespace wharf::access {

struct Permit {
  // What the rule belongs to (resource.h), and its folded name.
  std::string path{};
  std::string rule{};
  // As the rule is called where it was made: for people.
  std::string rule_name{};
  // Absent: it was not proven by one.
  std::optional<KeyPrint> key{};
  // Instead: as whom the client is known to somebody who vouches for it.
  std::string client{};
  // Absent: its certificate's authority does. Else what signed the token that names it.
  std::optional<KeyPrint> voucher{};
  // What the token is for: at most what the rule covers.
  std::string resource{};
  // By the wall clock.
  Timestamp until = kNever;

  // Names the rule, whichever of its keys: what it began belongs to it.
  std::string Owner() const { return path + "#" + rule; }
  // The same for people.
  std::string ShownOwner() const { return path + "#" + (rule_name.empty() ? rule : rule_name); }
};

using PermitPtr = std::shared_ptr<const Permit>;

}  // namespace wharf::access
