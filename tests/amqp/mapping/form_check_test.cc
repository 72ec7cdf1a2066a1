// What clients of other protocols give back as a form is looked at before it is believed.
#include "broker/doors/amqp/mapping/form_check.h"

#include <functional>

#include <gtest/gtest.h>

#include "tests/amqp/hex.h"
#include "tests/harness/sample_message.h"

namespace wharf::amqp {
namespace {

TEST(FormCheckTest, AValueIsWholeAndAlone) {
  EXPECT_TRUE(IsOneValue(FromHex("40")));
  EXPECT_TRUE(IsOneValue(FromHex("c0 [01 a1 ['x']]")));
  for (const char* hex : {"", "ff", "a1", "a1 02 'x'", "40 40", "c0 [02 40]", "a1 [ff]", "00 53"}) {
    EXPECT_FALSE(IsOneValue(FromHex(hex))) << hex;
  }
}

TEST(FormCheckTest, AFormOfEveryPartIsOne) {
  EXPECT_TRUE(CheckForm(AmqpForm()).ok());
  EXPECT_EQ(CheckForm(*SampleMessage().amqp_form).message(), "");
}

TEST(FormCheckTest, NothingElseIs) {
  const struct {
    const char* part;
    std::function<void(AmqpForm&)> spoil;
  } kBad[] = {
      {"properties", [](AmqpForm& form) { form.properties.code = 0xd1; }},
      {"properties", [](AmqpForm& form) { form.properties.descriptor = FromHex("00 53 74"); }},
      {"properties", [](AmqpForm& form) { form.properties.descriptor = FromHex("00 53 73 00"); }},
      {"properties", [](AmqpForm& form) { form.property_count = 14; }},
      {"application_properties", [](AmqpForm& form) { form.application_properties.code = 0xc0; }},
      {"data", [](AmqpForm& form) { form.data.code = 0xa1; }},
      {"fields", [](AmqpForm& form) { form.fields.emplace_back(AmqpField::kEnd, FromHex("41")); }},
      {"fields",
       [](AmqpForm& form) { form.fields.emplace_back(AmqpField::kTo, FromHex("a1 ['x']")); }},
      {"fields",
       [](AmqpForm& form) {
         form.fields = {{AmqpField::kTo, FromHex("a3 ['x']")}};
       }},
      {"fields",
       [](AmqpForm& form) {
         form.fields = {{AmqpField::kTo, FromHex("40")}};
       }},
      {"fields",
       [](AmqpForm& form) {
         form.fields = {{AmqpField::kTo, FromHex("a1 ['x'] 40")}};
       }},
      {"annotations", [](AmqpForm& form) { form.annotations = FromHex("a3 ['x']"); }},
      {"footer", [](AmqpForm& form) { form.footer = FromHex("00 53 75 a0 00"); }},
      {"footer", [](AmqpForm& form) { form.footer += 'x'; }},
  };
  for (const auto& [part, spoil] : kBad) {
    AmqpForm form = *SampleMessage().amqp_form;
    spoil(form);
    EXPECT_EQ(CheckForm(form).message(), std::string("amqp_form.") + part + " is not AMQP's");
  }
}

}  // namespace
}  // namespace wharf::amqp
