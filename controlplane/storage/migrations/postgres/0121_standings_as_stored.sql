-- Hosts of a pass are served as `suspensions` and `account_deletions` say, whether they are published yet or not. A control plane
-- of the previous version still reads the two columns. Until a pass ends, it takes such hosts for gone.
ALTER TABLE standing_passes
  ALTER COLUMN gone_before SET DEFAULT true,
  ALTER COLUMN gone_after SET DEFAULT true;
-- The hosts that a pass has published before may have had another standing.
UPDATE standing_passes SET published_to = '';
