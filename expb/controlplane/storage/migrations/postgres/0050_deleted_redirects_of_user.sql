-- Finds the deleted redirects of a user, whose hits are still kept: the other indexes by user leave them out.
CREATE INDEX CONCURRENTLY redirects_deleted_of_user ON redirects (user_id) WHERE deleted_at IS NOT NULL;
