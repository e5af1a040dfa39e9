-- The hosts of a user that a fallback answers for, in the order in which a change of the fallback publishes them.
CREATE INDEX CONCURRENTLY redirects_disabled ON redirects (user_id, from_domain)
  WHERE NOT enabled AND verified_at IS NOT NULL AND deleted_at IS NULL;
