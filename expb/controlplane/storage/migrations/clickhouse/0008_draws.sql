-- What a replay needs to decide again as the data plane did: the number that the dice of the deciding rule gave (0 when no
-- rule drew), and how the query was recorded. Hits from before have neither.
ALTER TABLE hits
  ADD COLUMN IF NOT EXISTS draw Float64 CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS query_recording LowCardinality(String);
