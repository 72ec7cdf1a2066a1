// XmlElement: a small XML document that somebody sent, as a tree, by namespaces and local names.
//
// What has a document type is refused at its first word, so that there are no entities but the five
// that XML has itself, and nothing is ever fetched. Depth and number of elements are bounded. Pure
// functions over libxml2, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <absl/functional/function_ref.h>

#include "storage/base/status.h"

namespace wharf::atom {

inline constexpr std::size_t kXmlDepthMax = 32;
inline constexpr std::size_t kXmlElementsMax = 4096;
// Whatever a body may have: no entity takes a tenth of it.
inline constexpr std::size_t kXmlBytesMax = 256 * 1024;
// Of an element, namespaces among them.
inline constexpr std::size_t kXmlAttributesMax = 64;
// Each element of a namespace has its name.
inline constexpr std::size_t kXmlNamespaceBytesMax = 2048;

// A name in a namespace; prefixes are nobody's business.
struct XmlName {
  std::string space{};
  std::string name{};
  friend bool operator==(const XmlName&, const XmlName&) = default;
};

// As it was written, with its prefix.
struct XmlAttribute {
  std::string name{};
  std::string value{};
  friend bool operator==(const XmlAttribute&, const XmlAttribute&) = default;
};

struct XmlElement {
  XmlName name{};
  // That it was written with; empty: none.
  std::string prefix{};
  // The `type` of XMLSchema-instance; empty: it has none.
  XmlName type{};
  // All but the declarations of namespaces; and these, "xmlns" and "xmlns:x".
  std::vector<XmlAttribute> attributes{};
  std::vector<XmlAttribute> declarations{};
  // All text directly in it.
  std::string text{};
  // How much of its parent's text stands before it.
  std::size_t text_before = 0;
  std::vector<XmlElement> children{};

  // The first child of that name, in the element's own namespace; null: there is none.
  const XmlElement* Find(std::string_view local) const;
  // Declares what `outer` does, but for what it declares itself: so much of it must be known to
  // understand it alone.
  void Inherit(const XmlElement& outer);
};

// ArgumentError with a sentence that says what is wrong, and in which line.
Result<XmlElement> ParseXml(std::string_view text);

// ArgumentError if the element says something twice, in its own namespace: of two values one would
// be taken without a word. `means`: whether a name of that means anything here.
Status CheckSaidOnce(
    const XmlElement& element,
    absl::FunctionRef<bool(const XmlName&)> means = [](const XmlName&) { return true; });

// Without the white space around it.
std::string_view Trimmed(std::string_view text);

}  // namespace wharf::atom
