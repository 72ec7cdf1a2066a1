// Proof: how a token, or who is named by somebody else, becomes a permit, by the rules of a book.
// Pure functions.
#pragma once

#include "broker/access/book.h"
#include "broker/access/client_rules.h"
#include "broker/access/permit.h"
#include "broker/access/token.h"
#include "storage/base/status.h"

namespace wharf::access {

// The rule is one of what the token is for, or of what that is below of; the nearest whose key made
// the signature. Unauthorized does not say which of rule and signature is wrong.
Result<Permit> Prove(const Token& token, const Book& book, Timestamp wall_now);

// Of who knows a key of a rule of the namespace, and says it. Takes as long if not.
Result<Permit> ProveKey(std::string_view rule, std::string_view key, const Book& book);
// The same of a rule of a resource, or of what that is below of; the nearest one that has the key.
Result<Permit> ProveKeyFor(std::string_view resource, std::string_view rule, std::string_view key,
                           const Book& book);

// Of a client that was named (client_rules.h): of its rule, for what that belongs to. Unauthorized
// if it has none.
Result<Permit> ProveClient(const std::string& client, const ClientRules& clients, const Book& book);
// The same of one whom a JSON web token names.
Result<Permit> ProveWebToken(std::string_view token, const ClientRules& clients, const Book& book,
                             Timestamp wall_now);
// Whether its rule is still the one of the permit, and what signed its token is still
// believed; ok of permits of keys.
Status CheckClient(const Permit& permit, const ClientRules& clients);

// Whether what the permit proved still holds: Unauthorized if not.
Status CheckPermit(const Permit& permit, const Book& book, Timestamp wall_now);
// And whether it gives the right on a path: Forbidden if not, whether there is such an entity or
// not.
Status CheckRight(const Permit& permit, const Book& book, Timestamp wall_now, Right right,
                  std::string_view path);

}  // namespace wharf::access
