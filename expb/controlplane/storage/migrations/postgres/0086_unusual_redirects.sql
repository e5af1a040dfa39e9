-- Finds disabled, scheduled and ended redirects of a user. Most redirects are none of them.
CREATE INDEX CONCURRENTLY redirects_not_always_served ON redirects (user_id, created_at DESC, id DESC)
  WHERE deleted_at IS NULL AND (NOT enabled OR starts_at IS NOT NULL OR ends_at IS NOT NULL);
