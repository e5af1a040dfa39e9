-- Destinations of verified redirects. Each URL is one row, whoever uses it.
CREATE TABLE destinations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  url text NOT NULL,
  -- SHA-256: URLs can be too long for an index.
  digest bytea NOT NULL UNIQUE,
  -- Registrable domain, or address. Requests to it are spread over time.
  site text NOT NULL,
  state text NOT NULL DEFAULT 'unknown' CHECK (state IN ('unknown', 'ok', 'broken')),
  -- Failed checks in a row, and when the first of them was.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  -- The last check: status, error, redirects, expiry of the certificate, response time.
  result jsonb,
  checked_at timestamptz,
  next_check_at timestamptz NOT NULL DEFAULT now(),
  -- A new state is told to the users of a destination in the order of their ids. This is the user and the redirect that heard
  -- of it last; NULL when all have. The event is 'broken', 'recovered' or NULL for none.
  told_until text[],
  told_event text
);
CREATE INDEX destinations_of_site ON destinations (site, next_check_at);
CREATE INDEX destinations_to_tell ON destinations (id) WHERE told_until IS NOT NULL;

-- The queue of checks. A claim is a lease: next_turn_at is in the future while a control plane works on a site.
CREATE TABLE destination_sites (
  site text PRIMARY KEY,
  -- The user who brought it. Users take turns.
  user_id text NOT NULL,
  next_turn_at timestamptz NOT NULL DEFAULT now(),
  last_turn_at timestamptz,
  claim text
);
CREATE INDEX destination_sites_of_user ON destination_sites (user_id, next_turn_at);
CREATE INDEX destination_sites_by_turn ON destination_sites (next_turn_at);

CREATE TABLE redirect_destinations (
  redirect_id text NOT NULL REFERENCES redirects (id) ON DELETE CASCADE,
  destination_id bigint NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
  user_id text NOT NULL,
  -- 'redirect', 'afterEnd', 'rule' and 'path'.
  used_by text[] NOT NULL,
  PRIMARY KEY (redirect_id, destination_id)
);
CREATE INDEX redirect_destinations_users ON redirect_destinations (destination_id, user_id, redirect_id);

-- How far the destinations of redirects are known: a position in ruleset_changes and, while all redirects are read, the last
-- one that was read.
CREATE TABLE destination_progress (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  read_after text DEFAULT '',
  claim text,
  claimed_until timestamptz NOT NULL DEFAULT now()
);
INSERT INTO destination_progress DEFAULT VALUES;
