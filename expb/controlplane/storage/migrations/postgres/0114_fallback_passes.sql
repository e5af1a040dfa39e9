-- A change of a fallback that is being published in pages. Hosts up to `published_to` are served with `url_after`, the others
-- with `url_before`. NULL: 404.
CREATE TABLE fallback_passes (
  user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  url_before text,
  url_after text,
  published_to text NOT NULL DEFAULT ''
);
