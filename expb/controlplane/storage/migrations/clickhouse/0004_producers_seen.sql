-- When a producer last closed a batch that a row is of: the newest of all its rows tells when it was last heard of. Rows
-- that were there before say 1970.
ALTER TABLE redirect_counters
  ADD COLUMN IF NOT EXISTS seen_at SimpleAggregateFunction(max, DateTime('UTC')) DEFAULT toDateTime(0, 'UTC');
