// PageFiles: the files of the console's page, as page/build.mjs makes them: compressed, and
// compiled in. In a build without Node there are none (no_page_files.cc).
//
// Constant; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace wharf::console {

struct PageFile {
  // "/" of the page itself; of all others "/page/" and a name that has a hash of what is in it.
  std::string_view path;
  std::string_view type;
  // Strong: of what is in it. With its quotation marks.
  std::string_view etag;
  // Its bytes, by gzip.
  std::string_view gzip;
};

// In the order of their paths.
const std::vector<PageFile>& PageFiles();

}  // namespace wharf::console
