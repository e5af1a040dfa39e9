-- Pages of users, newest first.
CREATE INDEX CONCURRENTLY users_by_age ON users (created_at DESC, id DESC);
