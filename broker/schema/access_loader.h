// Loads the rules of access: with all else that a broker keeps in memory (loader.h), or as a book
// for who lets somebody in and plans nothing: a node that does not lead.
//
// Pure functions, on any thread.
#pragma once

#include <vector>

#include "broker/access/book.h"
#include "broker/core/changes/change.h"
#include "storage/batch_notes.h"
#include "storage/store.h"

namespace wharf {

// One that cannot be read is an error: without it somebody might be let in, or locked out, whom
// nobody meant.
Status LoadAccessRules(const StoreView& view, std::vector<AccessRuleSet>& rules);

Result<access::Book> LoadAccessBook(const Store& store);
// Whether what was applied is another book.
bool ChangesAccess(const BatchNotes& notes);

}  // namespace wharf
