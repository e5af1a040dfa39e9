-- Hosts of a pass are served as `suspensions` and `account_deletions` say, whether they are published yet or not.
ALTER TABLE standing_passes DROP COLUMN gone_before, DROP COLUMN gone_after;
