-- Since when its owner has paused it. Messages wait until it is resumed.
ALTER TABLE webhook_endpoints ADD COLUMN paused_at timestamptz;

-- What owners were told of the events of a redirect in a month, so that each is told once.
CREATE TABLE usage_notices (
  redirect_id text NOT NULL REFERENCES redirects (id) ON DELETE CASCADE,
  month text NOT NULL,
  kind text NOT NULL,
  PRIMARY KEY (redirect_id, month, kind)
);
