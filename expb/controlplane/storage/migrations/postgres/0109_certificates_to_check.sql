-- For the operator's list of certificates: hosts without one, and failed renewals, by the end of the validity period.
CREATE INDEX CONCURRENTLY certificates_troubled
  ON certificates (coalesce(not_after, 'infinity'::timestamptz), (host COLLATE "C"))
  WHERE removed_at IS NULL AND (fingerprint IS NULL OR last_error IS NOT NULL);
