CREATE TABLE users (
  id text PRIMARY KEY,
  -- Compared in lower case; absent for users known only by a JWT without an e-mail claim.
  email text UNIQUE,
  password_hash text,
  -- `iss` and `sub` of the JWT that the user was first seen with.
  external_subject text UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tokens (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name text NOT NULL,
  -- SHA-256 of the token; the token itself is shown once and never stored.
  token_hash bytea NOT NULL UNIQUE,
  scopes text[] NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tokens_of_user ON tokens (user_id, created_at DESC);

CREATE TABLE redirects (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  from_domain text NOT NULL,
  to_domain text NOT NULL,
  -- Host of to_domain in the form of from_domain: the edge that loop detection follows.
  to_host text NOT NULL,
  redirect_type text NOT NULL CHECK (redirect_type IN ('permanent', 'temporary')),
  path_forwarding boolean NOT NULL,
  query_forwarding boolean NOT NULL,
  sampling_rate double precision NOT NULL CHECK (sampling_rate BETWEEN 0 AND 1),
  verification_value text NOT NULL,
  verified_at timestamptz,
  -- When the background check looks at a pending domain next; null once verified or given up.
  next_check_at timestamptz,
  check_count integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT redirects_domain_once_per_user UNIQUE (user_id, from_domain)
);
-- Several users may claim a domain; only one can have it verified.
CREATE UNIQUE INDEX redirects_verified_domain ON redirects (from_domain) WHERE verified_at IS NOT NULL;
CREATE INDEX redirects_of_user ON redirects (user_id, created_at DESC, id DESC);
CREATE INDEX redirects_due_for_check ON redirects (next_check_at) WHERE next_check_at IS NOT NULL;

-- One row: the version of everything that data planes serve. Locking it orders all changes.
CREATE TABLE ruleset_head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch bigint NOT NULL,
  seq bigint NOT NULL
);
INSERT INTO ruleset_head (epoch, seq) VALUES (extract(epoch FROM now())::bigint, 0);

-- Transactional outbox: a change is visible exactly when the mutation that made it is. It says where something
-- changed; what is served there is read from the tables themselves when it is published.
CREATE TABLE ruleset_changes (
  epoch bigint NOT NULL,
  seq bigint NOT NULL,
  host text NOT NULL,
  committed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (epoch, seq)
);

CREATE TABLE idempotency_keys (
  -- SHA-256 over caller, method, path and key.
  key_hash bytea PRIMARY KEY,
  body_hash bytea NOT NULL,
  status integer,
  -- The first answer, encrypted: it may hold a token that is shown only once.
  answer bytea,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
