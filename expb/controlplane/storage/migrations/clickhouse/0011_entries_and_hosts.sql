-- What a replay needs beside a rule and below a wildcard: the entry of paths that gave the answer though a rule had decided (0
-- when none did), and the host that was asked for (empty unless the redirect is a wildcard). Hits from before have neither.
ALTER TABLE hits
  ADD COLUMN IF NOT EXISTS entry_id UInt64 CODEC(ZSTD(1)),
  ADD COLUMN IF NOT EXISTS requested_host String CODEC(ZSTD(1));
