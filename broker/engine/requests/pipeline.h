// Pipeline: the way of every request into the engine.
//
//   allow     whether its caller may ask it
//   check     what can be said of it alone; and, in a cluster of which not all members are of this
//             version, that all of them could read what is to be kept
//   admit     room for it until it is answered, by its weight
//   find      the entity that it is about, in the directory
//   plan      on the shard's thread: by the handler that has a Plan for it
//   answer    when its turn is durable
//
// Made by a leadership, asked by doors on any thread.
#pragma once

#include <memory>

#include "broker/reading/readers.h"
#include "broker/requests/requests.h"

namespace wharf {

class Shard;

// Shard and readers outlive it.
std::unique_ptr<Requests> MakePipeline(Shard& shard, const Readers& readers);

}  // namespace wharf
