-- The ETag of the first answer, which a replay sends again. Null: the answer had none, or is from an earlier release.
ALTER TABLE idempotency_keys ADD COLUMN etag text;
