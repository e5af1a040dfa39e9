-- Deleted redirects do not block a name.
CREATE UNIQUE INDEX CONCURRENTLY redirects_live_domain ON redirects (user_id, from_domain) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX CONCURRENTLY redirects_live_external_id ON redirects (user_id, external_id) WHERE deleted_at IS NULL AND external_id IS NOT NULL;
-- Orders of the list of a user.
CREATE INDEX CONCURRENTLY redirects_live_by_creation ON redirects (user_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX CONCURRENTLY redirects_live_by_update ON redirects (user_id, updated_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX CONCURRENTLY redirects_by_tag ON redirects USING gin (tags) WHERE deleted_at IS NULL AND tags <> '{}';
-- Finds what the purge is to remove.
CREATE INDEX CONCURRENTLY redirects_deleted ON redirects (deleted_at) WHERE deleted_at IS NOT NULL;
