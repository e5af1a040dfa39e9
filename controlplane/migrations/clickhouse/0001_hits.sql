-- One row for each recorded hit. What an insert gives as hit_id and visitor_id is stored as numbers: smaller,
-- and quicker to count. hit_name and visitor_hash give the texts back.
CREATE TABLE IF NOT EXISTS hits (
  hit_id String EPHEMERAL,
  -- hit_id is <producer_id>-<ordinal>; a text that does not end in an ordinal breaks the constraint below.
  producer_id LowCardinality(String)
    DEFAULT substring(hit_id, 1, length(hit_id) - position(reverse(hit_id), '-')),
  ordinal UInt64
    DEFAULT toUInt64OrDefault(substring(hit_id, length(producer_id) + 2), toUInt64(18446744073709551615))
    CODEC(Delta, ZSTD(1)),
  hit_name String ALIAS concat(producer_id, '-', toString(ordinal)),
  redirect_id LowCardinality(String),
  timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  host LowCardinality(String),
  path String CODEC(ZSTD(1)),
  query String CODEC(ZSTD(1)),
  destination_url String CODEC(ZSTD(1)),
  status_code UInt16 CODEC(ZSTD(1)),
  method LowCardinality(String),
  sampling_rate Float64 CODEC(ZSTD(1)),
  user_agent LowCardinality(String),
  referrer String CODEC(ZSTD(1)),
  language LowCardinality(String),
  ip_address String CODEC(ZSTD(1)),
  visitor_id String EPHEMERAL,
  visitor UInt64 DEFAULT reinterpretAsUInt64(reverse(unhex(visitor_id))) CODEC(ZSTD(1)),
  visitor_hash String ALIAS lower(leftPad(hex(visitor), 16, '0')),
  is_bot UInt8 CODEC(ZSTD(1)),
  bot_reason LowCardinality(String),
  ruleset_version LowCardinality(String),
  rule_id UInt64 CODEC(ZSTD(1)),
  variant LowCardinality(String),
  country LowCardinality(String),
  region LowCardinality(String),
  city LowCardinality(String),
  device_type LowCardinality(String),
  device_brand LowCardinality(String),
  device_model LowCardinality(String),
  browser_name LowCardinality(String),
  browser_version LowCardinality(String),
  os_name LowCardinality(String),
  os_version LowCardinality(String),
  referrer_domain LowCardinality(String),
  CONSTRAINT hit_id_ends_in_an_ordinal CHECK ordinal != 18446744073709551615
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (redirect_id, timestamp)
SETTINGS non_replicated_deduplication_window = 10000;
