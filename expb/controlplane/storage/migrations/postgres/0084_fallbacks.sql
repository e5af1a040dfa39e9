-- Where visitors of a user's verified hosts are led that have no enabled redirect.
CREATE TABLE user_fallbacks (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  url text NOT NULL,
  host text NOT NULL
);
-- {"url": …}: where requests are led that nothing in the table of paths matches. NULL: 404.
ALTER TABLE redirects ADD COLUMN not_found jsonb;
