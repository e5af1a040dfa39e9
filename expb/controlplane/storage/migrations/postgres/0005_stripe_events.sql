-- What Stripe has sent to the webhook, as it came: each event once, to be applied again by hand if need be.
CREATE TABLE stripe_events (
  id text PRIMARY KEY,
  type text NOT NULL,
  -- The very characters that were signed.
  payload text NOT NULL,
  outcome text NOT NULL DEFAULT 'received' CHECK (outcome IN ('received', 'applied', 'ignored', 'failed')),
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX stripe_events_by_age ON stripe_events (received_at);

-- When somebody last began to ask a provider about all subscriptions.
CREATE TABLE reconciliation_turns (
  provider text PRIMARY KEY,
  taken_at timestamptz NOT NULL
);
