-- A suspension or deletion of an account, or the end of one, that is being published in pages. Hosts up to `published_to` are
-- served with `gone_after`, the others with `gone_before`.
CREATE TABLE standing_passes (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  gone_before boolean NOT NULL,
  gone_after boolean NOT NULL,
  published_to text NOT NULL DEFAULT ''
);
