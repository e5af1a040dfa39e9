-- When a user was last sent a mail of a kind, so that many events at once do not become as many mails.
CREATE TABLE owner_mails (
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind text NOT NULL,
  sent_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, kind)
);
