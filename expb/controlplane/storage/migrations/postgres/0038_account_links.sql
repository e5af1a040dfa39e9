ALTER TABLE users ADD COLUMN email_verified_at timestamptz;
-- Whether the hash is that of the password as it was typed. Older versions removed spaces around it.
ALTER TABLE users ADD COLUMN password_is_exact boolean NOT NULL DEFAULT false;
-- The browser of a session with a cookie. NULL: the token was shown to its owner.
ALTER TABLE tokens ADD COLUMN user_agent text;
ALTER TABLE tokens ADD COLUMN is_cookie boolean NOT NULL DEFAULT false;

-- Links in mails, each valid once.
CREATE TABLE account_links (
  -- SHA-256 of the token of the link.
  token_hash bytea PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('signup', 'verify_email', 'reset_password')),
  -- NULL for a signup: the account begins with the link.
  user_id text REFERENCES users (id) ON DELETE CASCADE,
  email text NOT NULL,
  password_hash text,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX account_links_of_user ON account_links (user_id);
CREATE INDEX account_links_by_end ON account_links (expires_at);

-- Mails that are not sent yet.
CREATE TABLE mails (
  id text PRIMARY KEY,
  -- Recipient, subject and text, encrypted: a mail may hold a link that opens an account.
  content bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mails_due ON mails (next_attempt_at);
