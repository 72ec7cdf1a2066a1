// Golden values: each encoding that AMQP 1.0 has, as bytes and as text.
#pragma once

#include <string_view>

namespace wharf::amqp {

struct GoldenValue {
  std::string_view hex;
  std::string_view text;
  // Whether it is the encoding that Writer chooses.
  bool is_ours = true;
};

inline constexpr bool kOther = false;

inline constexpr GoldenValue kGoldenValues[] = {
    {"40", "null"},
    {"41", "true"},
    {"42", "false"},
    {"56 01", "true", kOther},
    {"56 00", "false", kOther},
    {"50 ff", "255:ubyte"},
    {"60 01 02", "258:ushort"},
    {"43", "0:uint"},
    {"52 ff", "255:uint"},
    {"70 00 00 01 00", "256:uint"},
    {"70 ff ff ff ff", "4294967295:uint"},
    {"70 00 00 00 00", "0:uint", kOther},
    {"44", "0:ulong"},
    {"53 07", "7:ulong"},
    {"80 ff ff ff ff ff ff ff ff", "18446744073709551615:ulong"},
    {"80 00 00 00 00 00 00 00 07", "7:ulong", kOther},
    {"51 80", "-128:byte"},
    {"61 80 00", "-32768:short"},
    {"54 ff", "-1:int"},
    {"54 7f", "127:int"},
    {"71 00 00 00 80", "128:int"},
    {"71 80 00 00 00", "-2147483648:int"},
    {"71 ff ff ff ff", "-1:int", kOther},
    {"55 80", "-128:long"},
    {"81 80 00 00 00 00 00 00 00", "-9223372036854775808:long"},
    {"81 00 00 00 00 00 00 00 01", "1:long", kOther},
    {"72 3f c0 00 00", "1.5:float"},
    {"82 bf f8 00 00 00 00 00 00", "-1.5:double"},
    {"74 01 02 03 04", "decimal32'01020304'"},
    {"84 01 02 03 04 05 06 07 08", "decimal64'0102030405060708'"},
    {"94 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10",
     "decimal128'0102030405060708090a0b0c0d0e0f10'"},
    {"73 00 01 f6 00", "U+1f600"},
    {"83 00 00 01 8b cf e5 68 00", "1700000000000:ms"},
    {"83 ff ff ff ff ff ff ff ff", "-1:ms"},
    {"98 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f",
     "uuid'000102030405060708090a0b0c0d0e0f'"},
    {"a0 00", "b''"},
    {"a0 02 00 ff", "b'00ff'"},
    {"b0 00 00 00 01 07", "b'07'", kOther},
    {"a1 00", "\"\""},
    {"a1 03 'a' c3 a9", "\"a\xc3\xa9\""},
    {"b1 00 00 00 01 'a'", "\"a\"", kOther},
    {"a3 04 'amqp'", ":amqp"},
    {"b3 00 00 00 01 'a'", ":a", kOther},
    {"45", "[]"},
    {"c0 01 00", "[]", kOther},
    {"d0 00 00 00 04 00 00 00 00", "[]", kOther},
    {"c0 05 02 54 01 a1 00", "[1:int, \"\"]"},
    {"d0 00 00 00 05 00 00 00 01 41", "[true]", kOther},
    {"c0 04 01 c0 01 00", "[[]]", kOther},
    {"c0 02 01 45", "[[]]"},
    {"c1 01 00", "{}"},
    {"d1 00 00 00 04 00 00 00 00", "{}", kOther},
    {"c1 06 02 a3 01 'k' 52 01", "{:k 1:uint}"},
    {"c1 07 04 43 40 a1 01 'x' 41", "{0:uint null, \"x\" true}"},
    {"e0 0a 02 70 00 00 00 01 00 00 00 02", "array uint[1:uint, 2:uint]"},
    {"e0 04 02 52 01 02", "array uint[1:uint, 2:uint]", kOther},
    {"f0 00 00 00 07 00 00 00 02 52 01 02", "array uint[1:uint, 2:uint]", kOther},
    {"e0 02 03 41", "array boolean[true, true, true]", kOther},
    {"e0 05 03 56 01 00 01", "array boolean[true, false, true]"},
    {"e0 02 02 40", "array null[null, null]"},
    {"e0 07 01 b3 00 00 00 01 'a'", "array symbol[:a]"},
    {"e0 05 02 a3 00 01 'a'", "array symbol[:, :a]", kOther},
    {"e0 0d 01 00 53 24 d0 00 00 00 04 00 00 00 00", "array @36:ulong list[[]]"},
    {"e0 0b 01 f0 00 00 00 05 00 00 00 00 40", "array array[array null[]]"},
    {"e0 01 00", "array null[]", kOther},
    {"00 53 24 45", "@36:ulong []"},
    {"00 a3 01 'd' 00 44 40", "@:d @0:ulong null"},
};

}  // namespace wharf::amqp
