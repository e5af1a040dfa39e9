-- Failed orders, and renewals that the authority announced, do not count toward its limit per registered domain.
ALTER TABLE certificate_orders
  ADD COLUMN failed_at timestamptz,
  ADD COLUMN is_exempt boolean NOT NULL DEFAULT false;

-- Account keys that were encrypted with another SECRET_KEY. A start with that key uses them again.
CREATE TABLE acme_account_keys_set_aside (
  -- Encrypted.
  private_key bytea PRIMARY KEY,
  set_aside_at timestamptz NOT NULL DEFAULT now()
);

-- Certificates that were encrypted with another SECRET_KEY and have been replaced. A start with that key uses them again.
CREATE TABLE certificates_set_aside (
  host text NOT NULL,
  fingerprint text NOT NULL,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  sealed text NOT NULL,
  key_id text NOT NULL,
  issuer text,
  names text[],
  not_before timestamptz NOT NULL,
  not_after timestamptz NOT NULL,
  renewal_id text,
  renew_at timestamptz,
  PRIMARY KEY (host, fingerprint)
);
CREATE INDEX certificates_set_aside_by_key ON certificates_set_aside (key_id, host);
CREATE INDEX certificates_set_aside_of_user ON certificates_set_aside (user_id);
CREATE INDEX certificates_set_aside_by_expiry ON certificates_set_aside (not_after);
