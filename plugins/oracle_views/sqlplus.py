"""What SQL*Plus says between the rows of a table, in English and Korean.

SQL> SQL>   2    3  NAME,VALUE           prompts and line numbers, where it was fed without ``-S``
select * from v$sysstat                  the statement that failed, a star below the place
              *
ERROR at line 1:                         1행에 오류:
ORA-00942: table or view does not exist  ORA-00942: 테이블 또는 뷰가 존재하지 않습니다
SP2-0751: Unable to connect to Oracle.
no rows selected                         선택된 레코드가 없습니다.
Elapsed: 00:00:00.01                     경   과: 00:00:00.01
"""

from __future__ import annotations

import re

from tunebench.sdk import decode_text, lazy_pattern, record

_PROMPT = lazy_pattern(rb"^(?:(?:SQL|idle|[A-Z0-9_$@]{1,61})> ?)+(?:[ \d]{1,3}\d {2})*")
_NUMBERED = lazy_pattern(rb"^ {0,2}\d{1,3} {2}(?=\S|$)")
_COMMAND = lazy_pattern(
    r"\s*(?:/\s*$|(?:select|with|set|col|column|spool|prompt|exec|execute|begin|declare|alter|whenever|define|undefine"
    r"|var|variable|host|exit|quit|conn|connect|show|desc|describe|clear|break|ttitle|rem|start)\b|@(?!section|end|tune))",
    re.IGNORECASE,
)
_ERROR = lazy_pattern(r"\s*((?:ORA|SP2|TNS|PLS|CPY|LRM|DIA)-\d{4,5})\s*:\s*(.*)", re.DOTALL)
_AROUND_ERROR = lazy_pattern(
    r"\s*(?:ERROR(?: at line \d+)?:|\d+\s*행에 오류:|오류:|\*|Help: https?://\S+)\s*$|select /\* tunebench \*/"
)
_RULER = lazy_pattern(r"[-=]{2,}(?:[ \t,;|~]+[-=]+)*[ \t,;|~]*")
_REMARK = lazy_pattern(
    r"(?:no rows selected|선택된 (?:레코드가|행이) 없습니다\.?|선택된 행 없음\.?"
    r"|\d+ rows? selected\.?|\d+\s*(?:개의? )?행이? (?:이 )?선택(?:되었습니다|됨)\.?"
    r"|Session altered\.|세션이 변경되었습니다\.|Transaction set\.|트랜잭션이 설정되었습니다\."
    r"|PL/SQL procedure successfully completed\.|PL/SQL 처리가 정상적으로 완료되었습니다\."
    r"|(?:Elapsed|경\s*과)\s*: \d\d:\d\d:\d\d[.,]\d+|Commit complete\.|커밋이 완료되었습니다\."
    r"|(?:Connected(?: to)?|다음에 접속됨|연결되었습니다)\s*[:.]|Disconnected from .*|.*에서 분리되었습니다\."
    r"|SQL\*Plus: (?:Release|릴리스) .*|Copyright \(c\) .*|Version \d+\.[\d.]+|Last Successful login time: .*"
    r"|Oracle (?:Database|AI Database) .*(?:Release|Production).*|With the .* options?|and .* options"
    r"|Page:? +\d+|페이지 +\d+)\s*"
)
_NO_LOGON = frozenset({
    "ORA-01017", "ORA-01005", "ORA-28000", "ORA-28001", "ORA-01045", "ORA-01034", "ORA-12154", "ORA-12162", "ORA-12505",
    "ORA-12514", "ORA-12541", "ORA-12545", "ORA-12560", "ORA-27101", "ORA-12170", "ORA-12547", "ORA-12578", "SP2-0306",
    "SP2-0640", "SP2-0667", "SP2-0750", "SP2-0751", "ORA-12537", "ORA-12528", "ORA-12526", "ORA-01033", "ORA-28040",
})  # fmt: skip
_NOT_ALLOWED = frozenset({"ORA-00942", "ORA-01031", "ORA-00904", "ORA-01219", "ORA-06550", "ORA-41900"})
_CUT = frozenset(
    {"ORA-03113", "ORA-03114", "ORA-03135", "ORA-01012", "ORA-00028", "ORA-01013", "ORA-02396", "ORA-00040"}
)


@record
class OracleError:
    """One message of the database or of SQL*Plus.

    Attributes:
        code: ``ORA-00942``.
    """

    code: str
    message: str
    line: int

    @property
    def warning(self) -> str:
        """Key below ``ledger.warning.``: what it means for the capture."""
        if self.code in _NO_LOGON:
            return "oracle_no_logon"
        if self.code in _CUT:
            return "oracle_session_cut"
        return "oracle_not_allowed" if self.code in _NOT_ALLOWED else "oracle_errors"


def without_prompt(line: bytes) -> tuple[bytes, bool]:
    """The line without the prompts in front of it, and whether there were any."""
    match = _PROMPT.match(line) if b">" in line[:64] else None
    return (line, False) if match is None else (line[match.end() :], True)


def is_numbered(line: bytes) -> bool:
    """Whether it looks like a further line of a statement."""
    return _NUMBERED.match(line) is not None


def is_command(line: bytes) -> bool:
    """Whether it is what somebody typed behind a prompt."""
    return _COMMAND.match(decode_text(line)) is not None


def read_error(number: int, line: bytes) -> OracleError | None:
    if b"-" not in line[:12]:
        return None
    match = _ERROR.fullmatch(decode_text(line))
    return None if match is None else OracleError(match[1], match[2].strip(), number)


def is_around_error(line: bytes) -> bool:
    return _AROUND_ERROR.match(decode_text(line)) is not None


def is_remark(line: bytes) -> bool:
    """What says nothing of the database: counts of rows, the time a statement took, banners."""
    if len(line) > 500:
        return False
    return _REMARK.fullmatch(decode_text(line).strip()) is not None


def is_ruler(line: bytes) -> bool:
    """Whether it parts a heading from its rows."""
    return line.lstrip()[:1] in (b"-", b"=") and _RULER.fullmatch(decode_text(line).strip()) is not None
