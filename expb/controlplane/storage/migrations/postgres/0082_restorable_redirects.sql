-- Order of the list of deleted redirects of a user. Deletion is the last update.
CREATE INDEX CONCURRENTLY redirects_restorable ON redirects (user_id, updated_at DESC, id DESC) WHERE deleted_at IS NOT NULL;
