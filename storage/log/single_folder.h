// SingleFolder: the data folder of a broker by itself: its state, and the log of what it commits.
//
//   DATA/          the state, in RocksDB
//   DATA/SINGLE    says that it has its log beside it (rocks/rocks_folder.h)
//   DATA/batches/  the log (segments/)
//
// A folder of before has a write-ahead log instead. It is converted in one step, the making of that
// mark, before which it is what it was: its log is read, the state says that it has all of it, and
// an empty log begins there. Opened by the daemon, before anything else is.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "storage/applied_index_row.h"
#include "storage/base/random.h"
#include "storage/base/status.h"
#include "storage/rocks/rocks_store.h"
#include "storage/segments/segment_log.h"
#include "storage/write_batch.h"

namespace wharf {

struct SingleFolder {
  // Of a folder of before, before it is converted: refuses it, or says what is put into it.
  using BeforeConverting = std::function<Result<WriteBatch>(RocksStore&)>;

  // Whether the folder is one. Changes nothing.
  static bool Is(const RocksStoreOptions& store);
  // `store`: how the state is opened, position and all. The state lacks what its log has behind it
  // (apply/catch_up.h). `random` outlives the log.
  static Result<SingleFolder> Open(RocksStoreOptions store, const AppliedIndexRow& index,
                                   Random& random, const BeforeConverting& before);
  static std::string LogPath(const std::string& data) { return data + "/batches"; }
  // It is the folder of something else from now on.
  static Status RemoveLog(const RocksStoreOptions& store);

  std::unique_ptr<RocksStore> store;
  std::unique_ptr<SegmentLog> log;
};

}  // namespace wharf
