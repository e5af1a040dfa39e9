-- Whose history the numbers of a version belong to: two databases, or two histories of a database that was restored, can
-- reach the same numbers.
ALTER TABLE ruleset_head
  ADD COLUMN database_id text NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12),
  -- Drawn anew by each commit.
  ADD COLUMN commit_id text NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 12),
  -- Hosts whose removal was committed, ever: so much smaller may a ruleset be than the one it replaces.
  ADD COLUMN removals bigint NOT NULL DEFAULT 0;
-- Null where a release without it has made the change.
ALTER TABLE ruleset_changes ADD COLUMN commit_id text;
