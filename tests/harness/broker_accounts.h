// Recounts everything that a store holds from its rows, entity by entity.
#pragma once

#include <string>

#include "broker/core/entities/catalog.h"
#include "storage/store.h"

namespace wharf {

// A sentence for everything that is wrong: counters, bytes, hints, order rows, sessions and their
// offers, bodies. Nothing may be under way.
std::string FindWrongAccounts(const Store& store);

// A sentence for each lane whose counters in the catalog are not those in the store: a start would
// believe the latter. Nothing may be under way.
std::string FindUnwrittenCounters(const Store& store, const Catalog& catalog);

}  // namespace wharf
