-- Counts the hosts that wait for the same limit.
CREATE INDEX CONCURRENTLY certificates_limited_by ON certificates (limited_by, next_attempt_at)
  WHERE limited_by IS NOT NULL;
