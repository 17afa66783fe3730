# SPDX-License-Identifier: LGPL-2.1-or-later
"""The faults that tools/mutate can make in a file, found by reading it as tokens."""
import collections
import re

TOKEN = re.compile(
    r"""(?P<skip>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*)
      |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      |(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*)
      |(?P<word>[A-Za-z_]\w*)
      |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)
Token = collections.namedtuple("Token", "kind text start end")
Fault = collections.namedtuple("Fault", "file start end new kind")

COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
EXCHANGED = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "&&": "||", "||": "&&"}
CONTROL = {"if", "while", "for", "switch"}
NO_STATEMENT = CONTROL | {"return", "break", "continue", "goto", "case", "default", "do", "else", "const", "static", "struct",
                          "enum", "union", "typedef", "sizeof", "assert", "void", "extern", "unsigned", "signed", "volatile"}


def tokens_of(text):
    return [Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(text) if m.lastgroup != "skip"]


def partners(tokens):
    """Index of the closing bracket of each opening one, and the other way round."""
    partner, open_ = {}, []
    for i, token in enumerate(tokens):
        if token.text in ("(", "[", "{") and token.kind == "sign":
            open_.append(i)
        elif token.text in (")", "]", "}") and token.kind == "sign" and open_:
            partner[i] = open_.pop()
            partner[partner[i]] = i
    return partner


def ends_operand(token):
    return token.kind in ("word", "number", "text") and token.text != "return" or token.text in (")", "]")


def statement_end(tokens, partner, i):
    """Index of the ';' that ends the statement from i, or None where a block comes first."""
    while i < len(tokens) and tokens[i].text != ";":
        if tokens[i].text in ("{", "}") or tokens[i].text == ")":
            if tokens[i].text != "{" or tokens[i - 1].text not in (")", "="):  # a compound literal is part of it
                return None
        i = partner.get(i, i) + 1 if tokens[i].text in ("(", "[", "{") else i + 1
    return i if i < len(tokens) else None


def is_declaration(tokens, i):
    """Whether the statement from i declares something."""
    first, second = tokens[i], tokens[i + 1]
    return first.text in NO_STATEMENT or second.kind == "word" or second.text == "*" and tokens[i + 2].kind == "word" and \
        second.end == tokens[i + 2].start


def arguments(tokens, partner, opening):
    """(first, last) of each argument between a bracket and its partner."""
    at, first, found = opening + 1, opening + 1, []
    while at < partner[opening]:
        if tokens[at].text == ",":
            found.append((first, at - 1))
            first = at + 1
        at = partner.get(at, at) + 1 if tokens[at].text in ("(", "[", "{") else at + 1
    return found + [(first, at - 1)] if at > first else found


def other_number(text):
    """Other values for a number."""
    whole = re.fullmatch(r"(\d+)([uUlL]*)", text)
    if whole:
        n = int(whole.group(1))
        return [str(other) + whole.group(2) for other in (n + 1, n - 1) if other >= 0]
    if re.search(r"[eE]", text):
        return ["(1000 * %s)" % text]
    return [] if text[:2].lower() == "0x" else ["(%s + 1)" % text]


def faults_of(file, text):
    """All faults that can be made in a file."""
    tokens = tokens_of(text)
    partner = partners(tokens)
    faults = []

    def add(first, last, new, kind):
        faults.append(Fault(file, tokens[first].start, tokens[last].end, new, kind))

    in_assert = array_size = -1  # up to which token
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else None
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if before is None or after is None:
            continue
        if token.text in ("assert", "static_assert", "_Static_assert"):
            in_assert = partner.get(i + 1, i)
        if i <= in_assert:
            continue
        source = text[token.start:token.end]
        binary = ends_operand(before) and before.end < token.start and token.end < after.start

        if token.kind == "sign" and binary and source in COMPARISONS:
            for other in COMPARISONS[source]:
                add(i, i, other, "comparison")
        elif token.kind == "sign" and binary and source in EXCHANGED:
            add(i, i, EXCHANGED[source], "operator")
        elif source == "!" and token.kind == "sign":
            add(i, i, "", "negation dropped")
        elif source == "-" and token.kind == "sign" and not ends_operand(before) and after.kind != "number":
            add(i, i, "", "sign dropped")
        elif token.kind == "number" and i > array_size and before.text != "case":
            for other in other_number(source):
                add(i, i, other, "number")
        elif source in ("if", "while") and after.text == "(" and i + 1 in partner:
            close = partner[i + 1]
            add(i + 1, close, "(!" + text[after.start:tokens[close].end] + ")", "condition negated")
        elif source == "return":
            end = statement_end(tokens, partner, i + 1)
            value = text[after.start:tokens[end - 1].end] if end else ""
            if value in ("true", "false"):
                add(i + 1, end - 1, "false" if value == "true" else "true", "value returned")
            elif value and value not in ("0", "NULL"):
                add(i + 1, end - 1, "0", "value returned")

        opens = before.text in (";", "{", "}", "else", "do") or \
            before.text == ")" and tokens[max(partner.get(i - 1, 0) - 1, 0)].text in CONTROL
        if opens and token.kind == "word" and token.text not in NO_STATEMENT:
            end = statement_end(tokens, partner, i)
            if end and not is_declaration(tokens, i):
                inside = [t.text for t in tokens[i:end]]
                if "(" in inside or any(sign in inside for sign in ("=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--")):
                    add(i, end, ";", "statement dropped")
        if opens and token.kind == "word":
            end = statement_end(tokens, partner, i)
            if end and (token.text in ("const", "static", "struct") or is_declaration(tokens, i)):
                size = i  # numbers up to '=' are sizes of arrays
                while size < end and tokens[size].text != "=":
                    size += 1
                array_size = max(array_size, size)

        called = token.kind == "word" and after.text == "(" and i + 1 in partner and \
            token.text not in CONTROL | {"sizeof", "return", "defined"} and before.kind != "word" and before.text != "*"
        if called:
            given = arguments(tokens, partner, i + 1)
            for (a, b), (c, d) in zip(given, given[1:]):
                one, two = text[tokens[a].start:tokens[b].end], text[tokens[c].start:tokens[d].end]
                if one != two and b - a < 8 and d - c < 8 and "(" not in one + two and '"' not in one + two:
                    add(a, d, two + text[tokens[b].end:tokens[c].start] + one, "arguments swapped")
    return faults
