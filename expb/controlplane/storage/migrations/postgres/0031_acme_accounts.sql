-- The account key is the same at all authorities: data planes answer every challenge with one thumbprint.
CREATE TABLE acme_account_key (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Encrypted.
  private_key bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When a data plane first asked for the answer to challenges. Without that answer every order fails.
  known_at timestamptz
);

-- One row per authority.
CREATE TABLE acme_authorities (
  directory text PRIMARY KEY,
  account_url text,
  -- Thumbprint of the key that the account was made with.
  account_thumbprint text,
  -- Token bucket of the authority's limit on new orders.
  tokens double precision NOT NULL,
  counted_at timestamptz NOT NULL DEFAULT now()
);
