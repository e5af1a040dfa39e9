-- The request that has the reservation. Null in rows of the previous release.
ALTER TABLE idempotency_keys ADD COLUMN holder bytea;
