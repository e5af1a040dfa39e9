-- One row per host that has a certificate, or is to have one.
CREATE TABLE certificates (
  host text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('acme', 'uploaded')),
  state text NOT NULL CHECK (state IN ('waiting_for_dns', 'ordering', 'issued', 'renewing', 'failed')),
  -- The certificate that is served. All of these are null until there is one.
  fingerprint text,
  -- Chain and private key, encrypted as data planes get them.
  sealed text,
  -- Names the key that `sealed` was encrypted with.
  key_id text,
  issuer text,
  names text[],
  not_before timestamptz,
  not_after timestamptz,
  -- Identifier at the authority's renewal information (RFC 9773).
  renewal_id text,
  renew_at timestamptz,
  -- {code, message, at}
  last_error jsonb,
  -- {required, found}: DNS records of the last check.
  dns jsonb,
  -- Failed attempts in a row.
  failures integer NOT NULL DEFAULT 0,
  -- When it is due. While a process works on it: when another one may take it. Null: nothing is left to do.
  next_attempt_at timestamptz,
  -- The attempt under way. Results count only under the claim they were made with.
  claim text,
  -- The order under way, so that another process can continue it: {directory, url}.
  pending_order jsonb,
  -- Private key of the order under way, encrypted.
  pending_key bytea,
  -- The fingerprint that an announcement of the expiry was sent for.
  expiry_announced text,
  -- Set by a deletion through the API. The host gets no certificate until its owner asks for one.
  removed_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((fingerprint IS NULL) = (sealed IS NULL))
);
CREATE INDEX certificates_of_user ON certificates (user_id, host);
-- Hosts that wait for a token of the authority's limits must not be in the way of the others.
CREATE INDEX certificates_to_order ON certificates (user_id, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL AND state = 'ordering';
CREATE INDEX certificates_to_check ON certificates (user_id, next_attempt_at)
  WHERE next_attempt_at IS NOT NULL AND state <> 'ordering';
CREATE INDEX certificates_by_fingerprint ON certificates (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX certificates_by_expiry ON certificates (not_after) WHERE fingerprint IS NOT NULL;
