#include "broker/doors/http/atom/xml_writer.h"

#include <algorithm>

#include <libxml/chvalid.h>
#include <libxml/xmlstring.h>

namespace wharf::atom {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string_view EscapeOf(char character, bool is_in_attribute) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    // Readers make a line feed of it otherwise.
    case '\r':
      return "&#13;";
    // And there of these a space.
    case '\n':
      return is_in_attribute ? "&#10;" : "";
    case '\t':
      return is_in_attribute ? "&#9;" : "";
    default:
      return {};
  }
}

}  // namespace

void XmlWriter::Open(std::string_view name, const Attributes& attributes) {
  Begin(name, attributes);
  text_ += '>';
  open_.emplace_back(name);
}

void XmlWriter::Close() {
  text_ += "</" + open_.back() + '>';
  open_.pop_back();
}

void XmlWriter::Leaf(std::string_view name, std::string_view text, const Attributes& attributes) {
  Begin(name, attributes);
  if (text.empty()) {
    text_ += "/>";
    return;
  }
  text_ += '>';
  Text(text);
  text_ += "</";
  text_ += name;
  text_ += '>';
}

void XmlWriter::Text(std::string_view text) { Escape(text, Place::kText); }

void XmlWriter::Begin(std::string_view name, const Attributes& attributes) {
  text_ += '<';
  text_ += name;
  for (const auto& [attribute, value] : attributes) {
    text_ += ' ';
    text_ += attribute;
    text_ += "=\"";
    Escape(value, Place::kAttribute);
    text_ += '"';
  }
}

void XmlWriter::Escape(std::string_view text, Place place) {
  while (!text.empty()) {
    int length = static_cast<int>(std::min<std::size_t>(text.size(), 4));
    const int character =
        xmlGetUTF8Char(reinterpret_cast<const unsigned char*>(text.data()), &length);
    if (character < 0) length = 1;
    if (character < 0 || !xmlIsCharQ(character)) {
      text_ += kReplacement;
    } else if (const std::string_view escape = EscapeOf(text[0], place == Place::kAttribute);
               !escape.empty()) {
      text_ += escape;
    } else {
      text_ += text.substr(0, static_cast<std::size_t>(length));
    }
    text.remove_prefix(static_cast<std::size_t>(length));
  }
}

}  // namespace wharf::atom
