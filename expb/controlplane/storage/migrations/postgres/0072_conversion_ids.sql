-- Rules that have conversions in ClickHouse. Without a reference, so that a row outlives its rule until they are erased.
CREATE TABLE conversion_sets (
  rule_id bigint PRIMARY KEY,
  redirect_id text NOT NULL
);
-- Ids of conversions, as the first 16 bytes of their SHA-256: each counts once. A deleted rule's are deleted in batches.
CREATE TABLE conversion_ids (
  rule_id bigint NOT NULL,
  id_hash bytea NOT NULL,
  -- When the plan keeps the conversion no longer. NULL: it keeps it for ever.
  expires_at timestamptz,
  PRIMARY KEY (rule_id, id_hash)
);
CREATE INDEX conversion_ids_by_expiry ON conversion_ids (expires_at) WHERE expires_at IS NOT NULL;
