// Lists that the broker gives page by page.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace wharf::tool {

// `get` takes the token of a page, empty for the first; `visit` takes the page and says whether
// another one is wanted. Only one page is in memory at a time.
template <typename Get, typename Visit>
Status EachPage(Get get, Visit visit) {
  std::string token;
  do {
    auto page = get(token);
    if (!page.ok()) return page.status();
    token = page->next_page_token();
    if (!visit(*page)) break;
  } while (!token.empty());
  return Status::Ok();
}

// A short list, whole.
template <typename Page, typename Get>
Result<Page> AllPages(Get get) {
  Page all;
  WHARF_RETURN_IF_ERROR(EachPage(get, [&](const Page& page) {
    all.MergeFrom(page);
    return true;
  }));
  return all;
}

}  // namespace wharf::tool
