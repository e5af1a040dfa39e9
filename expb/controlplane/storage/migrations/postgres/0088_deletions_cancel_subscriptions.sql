-- Subscriptions that the deletion of an account cancels for the end of their period. `subscription_cancels` is the one that
-- renewed when the deletion was requested; `cancel_due` whether the provider is still to be told. Constant defaults rewrite no row.
ALTER TABLE account_deletions
  ADD COLUMN subscription_cancels text,
  ADD COLUMN cancel_due boolean NOT NULL DEFAULT false;
