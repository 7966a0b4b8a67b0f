"""SQLite under another name, so that a saver treats it as it would treat a server."""

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite


class Plain(SQLiteDialect_pysqlite):
    """The dialect."""

    name = "plain"
    supports_statement_cache = True
