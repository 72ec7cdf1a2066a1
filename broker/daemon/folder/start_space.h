// StartSpace: what a start does on a disk that is nearly full. Used by main.cc, before the store is
// opened.
#pragma once

#include <string>

#include "storage/disk/disk_reserve.h"
#include "storage/disk/disk_space.h"

namespace wharf {

// Gives up the reserve if the disk of `folder` has next to nothing left: a start must write a
// little. Whether the store must spare the disk then.
bool MakeRoomToStart(const DiskSpace& disk, DiskReserve& reserve, const std::string& folder);

}  // namespace wharf
