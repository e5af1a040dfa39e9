-- Lists the pending redirects of a user without reading those that are verified.
CREATE INDEX CONCURRENTLY redirects_unverified ON redirects (user_id, created_at DESC, id DESC)
  WHERE deleted_at IS NULL AND verified_at IS NULL;
