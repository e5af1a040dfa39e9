-- Token buckets of limits that authorities have per registered domain and per set of names.
CREATE TABLE certificate_limits (
  directory text NOT NULL,
  -- `domain example.com` or `names www.example.com`.
  subject text NOT NULL,
  tokens double precision NOT NULL,
  counted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (directory, subject)
);
CREATE INDEX certificate_limits_by_age ON certificate_limits (counted_at);
-- The subject of the limit that a host waits for.
ALTER TABLE certificates ADD COLUMN limited_by text;
