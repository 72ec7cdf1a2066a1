// DataFolder: the folder that --data names, looked at before the store opens it. Used by main.cc.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace wharf {

// Refuses what cannot or must not become a data folder: no name, a file, a folder of someone else,
// one that lies in no folder (a typing error, or a disk that is not mounted), one that may not be
// used. Makes nothing. Warns when others may read it.
Status CheckDataFolder(const std::string& folder);

}  // namespace wharf
