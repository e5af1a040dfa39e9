-- Users who have more redirects than their plan allows after a trial that they did not pay for, and when the redirects
-- beyond the limit are switched off.
CREATE TABLE excess_notices (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  applies_at timestamptz NOT NULL,
  checked_at timestamptz NOT NULL
);

-- Redirects that were switched off for that. They are switched on again with a larger plan.
CREATE TABLE excess_redirects (
  redirect_id text PRIMARY KEY REFERENCES redirects (id) ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX excess_redirects_by_user ON excess_redirects (user_id);
