// Proof: how a token becomes a permit, by the rules of a book. Pure functions.
#pragma once

#include "broker/access/book.h"
#include "broker/access/permit.h"
#include "broker/access/token.h"
#include "storage/base/status.h"

namespace wharf::access {

// The rule is one of what the token is for, or of what that is below of; the nearest whose key made
// the signature. Unauthorized does not say which of rule and signature is wrong.
Result<Permit> Prove(const Token& token, const Book& book, Timestamp wall_now);

// Whether what the permit proved still holds: Unauthorized if not.
Status CheckPermit(const Permit& permit, const Book& book, Timestamp wall_now);
// And whether it gives the right on a path: Forbidden if not, whether there is such an entity or
// not.
Status CheckRight(const Permit& permit, const Book& book, Timestamp wall_now, Right right,
                  std::string_view path);

}  // namespace wharf::access
