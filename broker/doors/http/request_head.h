// RequestHead: what the head of a request says, and what it is refused for before anybody is asked.
//
// Two readers of the same bytes must not see two requests: what says its length, its host or who
// asks in more than one way is none. Pure decisions; called by connections, on their strands.
#pragma once

#include <optional>
#include <string>

#include <boost/beast/http/message.hpp>
#include <boost/system/error_code.hpp>

#include "broker/doors/http/exchange.h"

namespace wharf {

using RequestHead = boost::beast::http::request_header<>;

struct HeadRefusal {
  unsigned status = 0;
  std::string why{};

  bool operator==(const HeadRefusal&) const = default;
};

// Of bytes that are no request, or too many, by what the parser said; nothing of those that end or
// fail: nobody is there to read it.
std::optional<HeadRefusal> WhyBad(const boost::system::error_code& error);

// Of a head that was read; nothing: it may be asked.
std::optional<HeadRefusal> WhyRefused(const RequestHead& head);

// Its client waits to be told that it may send the body. A head that expects something else is
// refused.
bool IsContinueExpected(const RequestHead& head);

// A head that is not refused, without who sent it.
HttpRequest RequestOf(const RequestHead& head);

}  // namespace wharf
