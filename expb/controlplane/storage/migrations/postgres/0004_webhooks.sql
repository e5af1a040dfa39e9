-- Where users want to hear of what happens to their subscriptions and domains.
CREATE TABLE webhook_endpoints (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  url text NOT NULL,
  events text[] NOT NULL,
  -- Encrypted: it must be known to sign with, unlike a token.
  secret bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_endpoints_of_user ON webhook_endpoints (user_id, created_at DESC, id DESC);

-- Written in the transaction of what the event tells of.
CREATE TABLE webhook_events (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  type text NOT NULL,
  -- The very characters that are signed and sent, the same in every attempt.
  payload text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_events_by_age ON webhook_events (created_at);

CREATE TABLE webhook_deliveries (
  id text PRIMARY KEY,
  event_id text NOT NULL REFERENCES webhook_events (id) ON DELETE CASCADE,
  endpoint_id text NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  -- When it is due; while somebody sends it, when it is taken from them. Null: nothing is left to do.
  next_attempt_at timestamptz DEFAULT now(),
  -- Who sends it at the moment. What came of an attempt counts only under the claim it was made with.
  claim text,
  -- Attempts since it was first to be sent, or sent again by hand; one that is under way counts.
  attempt_number integer NOT NULL DEFAULT 0,
  -- The latest attempts with what came of them, oldest first.
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_of_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_of_event ON webhook_deliveries (event_id);
