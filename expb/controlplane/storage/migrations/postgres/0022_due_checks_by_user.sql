-- Finds the users who have domains to check, and the domains of each.
CREATE INDEX CONCURRENTLY redirects_due_by_user ON redirects (user_id, next_check_at) WHERE next_check_at IS NOT NULL;
