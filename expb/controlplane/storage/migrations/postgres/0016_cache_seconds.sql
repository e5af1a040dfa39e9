-- How long caches may keep the answers of a redirect. The default is a constant, so no row is rewritten.
ALTER TABLE redirects ADD COLUMN cache_seconds integer NOT NULL DEFAULT 300;
-- Not validated: validation would read the whole table under an exclusive lock, and every row has the default.
ALTER TABLE redirects
  ADD CONSTRAINT redirects_cache_seconds CHECK (cache_seconds BETWEEN 0 AND 31536000) NOT VALID;
