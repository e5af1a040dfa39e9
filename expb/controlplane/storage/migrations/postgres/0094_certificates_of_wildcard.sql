-- Lists and counts the names below a wildcard, and those of an owner.
CREATE INDEX CONCURRENTLY certificates_of_wildcard ON certificates (user_id, wildcard, seen_at)
  WHERE wildcard IS NOT NULL;
