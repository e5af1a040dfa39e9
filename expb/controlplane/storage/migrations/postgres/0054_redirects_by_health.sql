-- Finds redirects with broken destinations among a million. Redirects that were never checked cost nothing.
CREATE INDEX CONCURRENTLY redirects_by_health ON redirects (user_id, health, created_at DESC, id DESC)
  WHERE health <> 'unknown' AND deleted_at IS NULL;
