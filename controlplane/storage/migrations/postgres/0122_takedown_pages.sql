-- Hosts that a takedown of a destination, or its end, has still to publish. A row is published in one transaction. Rows with
-- `paths_since`, a version of the ruleset, stand for the redirects whose paths have changed since that version.
CREATE TABLE takedown_pages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  takedown_id text NOT NULL REFERENCES takedowns (id) ON DELETE CASCADE,
  hosts text[],
  paths_since jsonb,
  CHECK (num_nonnulls(hosts, paths_since) = 1)
);
CREATE INDEX takedown_pages_of_takedown ON takedown_pages (takedown_id, id);
