// In the place of the page's files, where Node was not there to make them.
#include "broker/doors/http/console/page_files.h"

namespace wharf::console {

const std::vector<PageFile>& PageFiles() {
  static const std::vector<PageFile> kNone;
  return kNone;
}

}  // namespace wharf::console
