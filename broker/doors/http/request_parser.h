// RequestParser: reads a request as Beast does, but for fields that Beast cannot keep.
//
// Its container throws for a value of 64 KiB, in a head as in what may stand behind a chunked body,
// where it does not look at its own limit either. Such a field is refused as a head that is too
// long; what stands behind a body is read over, for nobody asks for it. Made by a connection.
#pragma once

#include <cstddef>

#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace wharf {

// Of its name and its value together.
inline constexpr std::size_t kHttpFieldBytesMax = 63 * 1024;

class RequestParser final
    : public boost::beast::http::request_parser<boost::beast::http::string_body> {
 private:
  using Text = boost::beast::string_view;

  void on_header_impl(boost::beast::error_code& error) override {
    error = {};
    is_head_over_ = true;
  }

  void on_field_impl(boost::beast::http::field name, Text name_text, Text value,
                     boost::beast::error_code& error) override {
    if (name_text.size() + value.size() > kHttpFieldBytesMax) {
      error = boost::beast::http::error::header_limit;
      return;
    }
    if (!is_head_over_) get().insert(name, name_text, value);
  }

  bool is_head_over_ = false;
};

}  // namespace wharf
