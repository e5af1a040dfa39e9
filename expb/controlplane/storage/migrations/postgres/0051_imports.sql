-- Imports of files. While a file arrives its state is 'receiving', and it is not shown.
CREATE TABLE imports (
  id text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind text NOT NULL,
  format text NOT NULL,
  mode text NOT NULL,
  dry_run boolean NOT NULL,
  -- Of a table of paths.
  redirect_id text,
  state text NOT NULL DEFAULT 'receiving',
  total integer NOT NULL DEFAULT 0,
  created integer NOT NULL DEFAULT 0,
  updated integer NOT NULL DEFAULT 0,
  unchanged integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  -- The part that is applied next. It moves in the transaction that applies a part.
  next_position integer NOT NULL DEFAULT 0,
  error jsonb,
  -- The control plane that works on it, and when others may take it over.
  claimed_by text,
  claimed_until timestamptz,
  -- Claims since the last progress.
  attempts integer NOT NULL DEFAULT 0,
  -- Start of its last turn. Users take turns.
  turn_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz
);
CREATE INDEX imports_of_user ON imports (user_id, created_at DESC, id DESC);
CREATE INDEX imports_open ON imports (user_id, created_at) WHERE state IN ('queued', 'running');
CREATE INDEX imports_by_age ON imports (created_at);

-- The rows of a file, some hundred in a part, and what became of them.
CREATE TABLE import_parts (
  import_id text NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  position integer NOT NULL,
  -- JSON, compressed by the control plane.
  content bytea NOT NULL,
  outcome text,
  created integer NOT NULL DEFAULT 0,
  updated integer NOT NULL DEFAULT 0,
  deleted integer NOT NULL DEFAULT 0,
  unchanged integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  PRIMARY KEY (import_id, position)
);
ALTER TABLE import_parts ALTER COLUMN content SET STORAGE EXTERNAL;
