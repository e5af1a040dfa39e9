-- A charge that is called off is owed by nobody: it is not one that has failed.
ALTER TABLE transactions
  DROP CONSTRAINT transactions_status_check,
  ADD CONSTRAINT transactions_status_check
    CHECK (status IN ('pending', 'failed', 'void', 'succeeded', 'partially_refunded', 'refunded'));
