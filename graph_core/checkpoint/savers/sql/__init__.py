"""What a `DatabaseSaver` is made of; only this folder imports SQLAlchemy (extra `sql`)."""
