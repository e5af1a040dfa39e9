-- Deleting a user deletes these rows.
CREATE INDEX CONCURRENTLY redirects_of_user ON redirects (user_id);
CREATE INDEX CONCURRENTLY webhook_events_of_user ON webhook_events (user_id);
