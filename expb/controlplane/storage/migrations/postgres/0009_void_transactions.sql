-- A charge that is called off is owed by nobody: it is not one that has failed.
ALTER TABLE transactions
  DROP CONSTRAINT transactions_status_check,
  ADD CONSTRAINT transactions_status_check
    CHECK (status IN ('pending', 'failed', 'void', 'succeeded', 'partially_refunded', 'refunded'));

-- What days of grace count from follows from this and from the charges, in whatever order they are told.
ALTER TABLE subscriptions ADD COLUMN reported_past_due_since timestamptz;
UPDATE subscriptions SET reported_past_due_since = past_due_since;
