-- Payments that the holder of the card disputes at the bank. Kept as long as the user.
CREATE TABLE payment_disputes (
  provider text NOT NULL,
  id text NOT NULL,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscription_id text NOT NULL,
  provider_transaction_id text NOT NULL,
  status text NOT NULL CHECK (status IN ('open', 'won', 'lost')),
  amount bigint NOT NULL,
  currency text NOT NULL,
  reason text NOT NULL,
  opened_at timestamptz NOT NULL,
  -- When the last report happened at the provider, and which one it was.
  occurred_at timestamptz NOT NULL,
  event_id text NOT NULL,
  PRIMARY KEY (provider, id)
);
CREATE INDEX payment_disputes_by_user ON payment_disputes (user_id);
