// AllPages: a list that the broker gives page by page, whole.
#pragma once

#include "storage/base/status.h"

namespace wharf::tool {

// `get` takes the token of a page, empty for the first.
template <typename Page, typename Get>
Result<Page> AllPages(Get get) {
  Page all;
  do {
    auto page = get(all.next_page_token());
    if (!page.ok()) return page.status();
    all.MergeFrom(*page);
    all.set_next_page_token(page->next_page_token());
  } while (!all.next_page_token().empty());
  return all;
}

}  // namespace wharf::tool
