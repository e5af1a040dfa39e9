-- Grows with each change of a table, for ETag and If-Match.
ALTER TABLE path_tables ADD COLUMN version bigint NOT NULL DEFAULT 1;

-- Tables beside the live one: the staged one, and the one before the last replacement.
CREATE TABLE path_versions (
  redirect_id text NOT NULL REFERENCES redirects (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('staged', 'previous')),
  ignore_case boolean NOT NULL,
  ignore_trailing_slash boolean NOT NULL,
  unmatched text NOT NULL,
  entry_count integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (redirect_id, kind)
);

CREATE TABLE path_version_entries (
  redirect_id text NOT NULL,
  kind text NOT NULL,
  position integer NOT NULL,
  -- Id that the entry had while it was live.
  entry_id bigint,
  source text NOT NULL,
  query jsonb,
  destination text,
  status_code smallint NOT NULL,
  query_forwarding boolean,
  enabled boolean NOT NULL,
  note text NOT NULL,
  created_at timestamptz,
  PRIMARY KEY (redirect_id, kind, position),
  FOREIGN KEY (redirect_id, kind) REFERENCES path_versions (redirect_id, kind) ON DELETE CASCADE
);
