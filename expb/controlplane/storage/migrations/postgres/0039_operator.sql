-- Accounts that the operator has suspended.
CREATE TABLE suspensions (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  reason text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Accounts whose owners want them deleted. Until `erase_at` they can take that back.
CREATE TABLE account_deletions (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  requested_at timestamptz NOT NULL DEFAULT now(),
  erase_at timestamptz NOT NULL
);
CREATE INDEX account_deletions_due ON account_deletions (erase_at);

-- Hosts whose visitors get 410: those of redirects, or those that redirects lead to.
CREATE TABLE takedowns (
  id text PRIMARY KEY,
  host text,
  destination_host text,
  reason text NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  lifted_by text,
  lifted_at timestamptz,
  CHECK (num_nonnulls(host, destination_host) = 1)
);
CREATE UNIQUE INDEX takedowns_of_host ON takedowns (host) WHERE lifted_at IS NULL AND host IS NOT NULL;
CREATE UNIQUE INDEX takedowns_of_destination ON takedowns (destination_host)
  WHERE lifted_at IS NULL AND destination_host IS NOT NULL;
CREATE INDEX takedowns_newest ON takedowns (created_at DESC, id DESC);

-- What operators did, and who it was. Users may be gone, so nothing refers to them.
CREATE TABLE operator_log (
  id text PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  operator_id text NOT NULL,
  operator_email text,
  token_id text,
  action text NOT NULL,
  subject text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX operator_log_newest ON operator_log (at DESC, id DESC);
