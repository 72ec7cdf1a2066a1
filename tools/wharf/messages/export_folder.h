// ExportFolder: a folder of files, one for each row of a message in quarantine, with a report of
// them.
//
// Made when the first file is; what is there stays as it is. Used by `wharf message export`, on the
// main thread.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"
#include "wharf/v1/messaging.pb.h"

namespace wharf::tool {

class ExportFolder {
 public:
  explicit ExportFolder(std::string path) : path_(std::move(path)) {}

  // Into a file of its own, unless it could not be read. ArgumentError if the file cannot be
  // written, or is there already.
  Status Add(const v1::ExportedRow& row);
  // Into report.json: `head` and what was added.
  Result<Json> Finish(Json head);

 private:
  Status Write(const std::string& name, std::string_view bytes) const;

  const std::string path_;
  Json rows_ = Json::array();
};

}  // namespace wharf::tool
