CREATE TABLE billing_customers (
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider text NOT NULL,
  -- The provider's id for the user.
  customer_id text NOT NULL,
  PRIMARY KEY (user_id, provider),
  UNIQUE (provider, customer_id)
);

CREATE TABLE subscriptions (
  -- The provider's own.
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider text NOT NULL,
  plan_id text NOT NULL,
  state text NOT NULL CHECK (state IN ('incomplete', 'trialing', 'active', 'past_due', 'canceled',
    'incomplete_expired', 'ended', 'revoked')),
  current_period_start timestamptz NOT NULL,
  current_period_end timestamptz NOT NULL,
  cancel_at_period_end boolean NOT NULL,
  canceled_at timestamptz,
  trial_start timestamptz,
  trial_end timestamptz,
  past_due_since timestamptz,
  ended_at timestamptz,
  cancel_reason text,
  -- The event that told of this state: what is to replace it must be newer.
  occurred_at timestamptz NOT NULL,
  event_id text NOT NULL,
  -- When access to the plan ends if nothing happens; null while no end is in sight.
  access_until timestamptz,
  -- Whether those who follow the plan have been told of that end.
  lapsed boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX subscriptions_of_user ON subscriptions (user_id);
CREATE INDEX subscriptions_running_out ON subscriptions (access_until) WHERE NOT lapsed AND access_until IS NOT NULL;

CREATE TABLE transactions (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- May be told before its subscription is.
  subscription_id text NOT NULL,
  plan_id text NOT NULL,
  provider text NOT NULL,
  provider_transaction_id text NOT NULL,
  type text NOT NULL CHECK (type IN ('payment', 'refund', 'subscription_cycle', 'setup_fee')),
  status text NOT NULL CHECK (status IN ('pending', 'failed', 'succeeded', 'partially_refunded', 'refunded')),
  -- Money is integers in the smallest unit of the currency.
  amount bigint NOT NULL,
  currency text NOT NULL,
  tax_amount bigint NOT NULL,
  refunded_amount bigint NOT NULL,
  paid_at timestamptz,
  refunded_at timestamptz,
  failed_at timestamptz,
  receipt_url text,
  invoice_url text,
  occurred_at timestamptz NOT NULL,
  event_id text NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (provider, provider_transaction_id)
);
CREATE INDEX transactions_of_user ON transactions (user_id, created_at DESC, id DESC);

CREATE TABLE checkouts (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  plan_id text NOT NULL,
  provider text NOT NULL,
  provider_checkout_id text NOT NULL,
  url text NOT NULL,
  status text NOT NULL CHECK (status IN ('open', 'complete', 'expired')),
  -- What came of it.
  subscription_id text,
  trial_days integer NOT NULL,
  expires_at timestamptz NOT NULL,
  completed_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider, provider_checkout_id)
);
CREATE INDEX checkouts_of_user ON checkouts (user_id);

-- Everything that providers have told, each event once.
CREATE TABLE billing_events (
  provider text NOT NULL,
  id text NOT NULL,
  event jsonb NOT NULL,
  outcome text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider, id)
);
CREATE INDEX billing_events_by_age ON billing_events (received_at);

-- Pages of the sandbox; the id is what lets one in.
CREATE TABLE sandbox_portals (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  return_url text,
  expires_at timestamptz NOT NULL
);

-- Redirects that have used up the events of their month: they redirect as before, and record nothing.
CREATE TABLE recording_pauses (
  redirect_id text PRIMARY KEY REFERENCES redirects (id) ON DELETE CASCADE
);

-- Users whose stored hits are still kept for as long as an earlier plan said.
CREATE TABLE retention_changes (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
