// Texts that programs are known to change, truncate, reject or execute. A store must treat all of them as plain text.

/** Fragments of SQL: harmless if values are never part of a statement. */
export const SQL: readonly string[] = lines(String.raw`
'
''
"
'"
;
--
/*
*/
/**/
\
\'
\\'
%
_
%27
$1
$2
$$
$$;drop table items;$$
$tag$ drop table items; $tag$
:name
?
@@version
' or '1'='1
' or 1=1--
" or ""="
1 or 1=1
1; drop table items
1); drop table items; --
'; drop table items; --
"; drop table items; --
'); delete from items; --
'; update items set title='gone' where '1'='1
' union select null,null,null--
1 union all select version()
' and pg_sleep(10)--
1; select pg_sleep(10)
'||pg_sleep(10)||'
'; copy items to program 'true'; --
x' and (select count(*) from items) > 0 and 'x'='x
admin'--
admin'/*
E'\\'
U&'\0041'
0x27
id
items.id
"id"
id desc
id;drop
(select 1)
(select title from items limit 1)
title' collate "C
null
default
current_user
array[1]
row(1,2)
1::text
true)
like '%'
\x27
\u0027
\N
begin; commit;
`)

/** The texts by category. None has U+0000 or a lone surrogate, which every store rejects. */
export const NAUGHTY: Readonly<Record<string, readonly string[]>> = {
  empty: ['', ' ', '  ', '\t', '\n', '\r', '\r\n', '\n\n', ' \n '],
  whitespace: [
    ...codePoints(0x2000, 0x200a),
    ...chars(0x00_a0, 0x16_80, 0x18_0e, 0x20_28, 0x20_29, 0x20_2f, 0x20_5f, 0x30_00, 0x0b, 0x0c, 0x85),
    ...' before|behind | both |\tbefore|behind\n|a  b|a\u00a0b|a\r\nb|a\rb|\u3000wide\u3000'.split('|'),
  ],
  control: [...codePoints(0x01, 0x1f), ...codePoints(0x7f, 0x9f), '\u001b[31mred\u001b[0m', 'a\u0008b', 'bell\u0007'],
  noncharacters: [
    ...chars(0xff_fe, 0xff_ff, 0xfd_d0, 0xfd_ef, 0x1_ff_fe, 0x1_ff_ff, 0x10_ff_fe, 0x10_ff_ff, 0xe0_00, 0xf8_ff),
    ...'\uFEFF|\uFEFFafter a mark|a\uFEFFb|\uFFFD|\uFFFC|\uFFF9a\uFFFAb\uFFFB|\uD7FF|\uE000'.split('|'),
  ],
  zeroWidth: chars(0x20_0b, 0x20_0c, 0x20_0d, 0x20_60, 0x20_61, 0x20_64, 0x00_ad, 0x03_4f, 0x11_5f, 0x17_b4, 0x31_64)
    .concat(chars(0xff_a0, 0xfe_00, 0xfe_0f, 0xe_01_00, 0xe_01_ef, 0xe_00_01, 0xe_00_41, 0x2d_7f))
    .flatMap((char) => [char, `a${char}b`]),
  bidi: [
    ...chars(0x20_0e, 0x20_0f, 0x20_2a, 0x20_2b, 0x20_2c, 0x20_2d, 0x20_2e, 0x20_66, 0x20_67, 0x20_68, 0x20_69, 0x6_1c),
    ...'\u202Egpj.exe|\u2066a\u2069b\u2067c|abc\u202Edef\u202Cghi|שלום עולם|مرحبا بالعالم|a שלום 1 b'.split('|'),
    ...'١٢٣ abc|بِسْمِ ٱللَّٰهِ|﷽|ﷺ|לִפְנֵי'.split('|'),
  ],
  combining: words(
    'e\u0301 \u0301 \u0301e a\u0300\u0301\u0302\u0303 Z̷̛̤a̵̡͠l̴̰̈g̶̖̓o̸̼͝ n\u0303 q\u0323\u0307 q\u0307\u0323 กำ้ क्षि நி',
  ).concat(`e${'\u0301'.repeat(200)}`),
  // Pairs that look the same to a reader, and must stay distinct.
  normalisation: [
    'é',
    'ñ',
    'ü',
    'Å',
    'ộ',
    '각',
    'が',
    'ﬁ',
    'ǆ',
    'ẛ̣',
    'Ω',
    'Å',
    'K',
    '½',
    'ｆｕｌｌ',
    '豈',
    '𝒜',
    'ſ',
  ].flatMap((text) => [...new Set([text, text.normalize('NFC'), text.normalize('NFD'), text.normalize('NFKD')])]),
  letterCase: ['ß', 'ẞ', 'SS', 'İ', 'ı', 'I', 'i', 'i̇', 'ς', 'σ', 'Σ', 'Title', 'title', 'TITLE', 'ŉ', 'ΐ', 'Ǆ', 'ǅ'],
  emoji: words('😀 👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ 🇩🇪 🇩 1️⃣ #️⃣ ❤️ ❤︎ 👩🏿‍💻 🧑‍🤝‍🧑 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ☠ 🐈‍⬛ 👁️‍🗨️ 🤷🏻‍♀️ ©️ 🫠 😀😃😄 a😀b \u200d😀 😀\u200d'),
  astral: chars(0x1_00_00, 0x1_03_48, 0x1_d5_3a, 0x2_00_00, 0x2_b8_20, 0x3_13_50, 0xf_00_00, 0x10_ff_fd, 0x1_34_30),
  scripts: words(
    '田中さん 社會科學院 울란바토르 Ελλάδα Привет Łódź ไทย አማርኛ தமிழ் ქართული ᚠᛇᚻ ⠃⠗⠁⠊⠇⠇⠑ ɐqɔ ʇsǝʇ Ⓗⓔⓛⓛⓞ ⒯⒣⒠ ʰᵉˡˡᵒ ₕₑₗₗₒ',
  ),
  quotes: words(
    `' " '' "" '"' "'" \` \`\`\` „“ ‘’ «» 「」 ‚ ′ ″ ＇ ＂ ʼ '\\'' "\\"" don't "quoted" 'quoted' ,' ," '' ""`,
  ),
  backslashes: words(
    String.raw`\ \\ \\\ \n \t \0 \x00 \u0000 \ud800 \u{1F600} \' \" \/ a\ \b \\n \\" C:\temp\new %5C ^ \e[31m \N \.`,
  ),
  sql: SQL,
  shell: lines(String.raw`
$(id)
${'`id`'}
; ls -la
| cat /etc/passwd
&& true
|| true
> /dev/null
$HOME
!!
~
*
{a,b}
--help
-rf
%PATH%
() { :;}; true
$IFS
&
a & b
`),
  html: lines(String.raw`
<b>bold</b>
<script>alert(1)</script>
</script><script>alert(1)</script>
"><img src=x onerror=alert(1)>
javascript:alert(1)
<!-- -->
<![CDATA[x]]>
&lt;
&amp;amp;
&#0;
&#x27;
&nbsp;
<svg/onload=alert(1)>
<a href="data:text/html,x">
<style>*{display:none}</style>
</title>
<%= 1 %>
<?php echo 1 ?>
`),
  xmlAndLdap: lines(String.raw`
<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>
]]>
<a/>
*)(uid=*))(|(uid=*
(&(a=b))
cn=a,dc=b
\2a
a=b+c=d
' or count(//*)=1 or 'a'='b
`),
  paths: words(
    String.raw`. .. / // ../ ../../etc/passwd ..\..\windows /etc/passwd %2e%2e%2f ..%2f ..%252f ..%c0%af file:///etc/passwd C:\ \\host\share ~root a/../b ./a CON NUL COM1 .git .env a.txt%00.png .... /dev/null`,
  ),
  formats: words(
    '%s %d %n %x %p %s%s%s%s %99999d %% %1$s {0} {} {{}} {{7*7}} ${7*7} ${{7*7}} #{7*7} <%=7*7%> @{7*7} *{7*7} [[7*7]] {%raw%} ${jndi:x} $x $& $` $1$2 \\1 {{constructor}} ${process.exit()}',
  ),
  numbers: words(
    '0 1 -1 +1 01 00 1.0 .5 5. 1e3 1E400 -0 0x10 0b1 0o7 1_000 1,000 1.000,00 NaN Infinity -Infinity nan inf 1/0 9007199254740993 99999999999999999999 2147483648 -2147483649 1e-400 0.1 ٣ ３ Ⅷ ½ ² ① 𝟙 ๓ 三 ௰ 1️⃣ 1f 1n 0.30000000000000004',
  ),
  json: words(
    '{} [] {"a":1} [1,2] "text" null true false {a:1} [,] {"__proto__":{}} "\\u0000" \\" {"a":"\\"} [[[[[[[[ }}}} // /**/ {"$ref":"#"} {"$gt":""} undefined',
  ),
  reserved: words(
    'undefined null NULL nil None none true True false id ID version createdAt updatedAt created_at constructor prototype hasOwnProperty toString valueOf toJSON length then __defineGetter__ __class__ self this default select table user order group index limit eval function class NaN any object Object.prototype',
  ),
  dates: lines(`
2024-02-29
2023-02-29
0000-00-00
9999-12-31T23:59:59.999Z
2024-12-31T23:59:60Z
2024-01-01T00:00:00+14:00
10000-01-01
infinity
now
today
epoch
yesterday
12:00
1/2/3
May 5
P1D
1970-01-01T00:00:00Z
-0001-01-01
`),
  csvAndUrls: words(
    '=1+1 +1+1 -1+1 @SUM(1) a,b a;b "a","b" a=b&c=d a%20b a+b %ZZ %00 %E0%A4%A http://a?b=c#d //a mailto:a@b [::1] a@b.c #a ?a &a a[ne] a[in]',
  ),
  // 200 code points, which clients count as characters.
  long: chars(0x61, 0x20, 0xe9, 0x6f_22, 0x1_f6_00, 0x27, 0x22, 0x5c, 0x25, 0x0a, 0x3_01, 0x10_ff_ff).map((char) =>
    char.repeat(200),
  ),
}

/** Texts that every store rejects, as they are written in JSON. */
export const UNSTORABLE: readonly string[] = [
  '\0',
  'a\0b',
  '\0'.repeat(3),
  '\uD800',
  '\uDC00',
  'a\uD83D',
  '\uDE00\uD83D',
]

function lines(text: string): string[] {
  return text.split('\n').slice(1, -1)
}

function words(text: string): string[] {
  return text.split(' ')
}

function chars(...points: number[]): string[] {
  return points.map((point) => String.fromCodePoint(point))
}

function codePoints(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at))
}
