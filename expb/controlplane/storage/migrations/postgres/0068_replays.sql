-- Replays of recorded visits against a definition. They begin again after an interruption, so only their results are kept.
CREATE TABLE replays (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  redirect_id text NOT NULL REFERENCES redirects (id) ON DELETE CASCADE,
  -- Definition, period and sample.
  spec jsonb NOT NULL,
  state text NOT NULL DEFAULT 'queued',
  progress real NOT NULL DEFAULT 0,
  result jsonb,
  error jsonb,
  -- The control plane that works on it, and when others may take it over.
  claimed_by text,
  claimed_until timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz
);
CREATE INDEX replays_of_user ON replays (user_id, created_at DESC, id DESC);
CREATE INDEX replays_of_redirect ON replays (redirect_id);
CREATE INDEX replays_open ON replays (user_id, created_at) WHERE state IN ('queued', 'running');
