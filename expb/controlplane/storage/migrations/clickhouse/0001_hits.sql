-- One row for each recorded hit. It comes as a Native block with these columns and types (shared/hits/hit-columns.ts),
-- so that the engine has nothing to parse. hit_name and visitor_hash give the numbers back as the texts they stand for.
--
-- The projections are the roll-ups behind the statistics: aggregates that live in the same part as the hits they are
-- made of. Merges make them, not inserts, which would take five times as long; of a part that has none yet a query
-- reads the hits, and adds them up with the roll-ups of the other parts. They expire with their hits. See
-- controlplane/decisions/0006-roll-ups-are-projections.md for what each of them costs, and for how a question has to
-- be put so that it is answered from one.
CREATE TABLE IF NOT EXISTS hits (
  -- A producer numbers its hits from 1 on: the two together are a hit's name for ever.
  producer_id LowCardinality(String),
  ordinal UInt64 CODEC(Delta, ZSTD(1)),
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
  visitor UInt64 CODEC(ZSTD(1)),
  visitor_hash String ALIAS lower(leftPad(hex(visitor), 16, '0')),
  is_bot UInt8 CODEC(ZSTD(1)),
  bot_reason LowCardinality(String),
  ruleset_version LowCardinality(String),
  rule_id UInt64 CODEC(ZSTD(1)),
  variant LowCardinality(String),
  country LowCardinality(String),
  region LowCardinality(String),
  city LowCardinality(String),
  -- Of the city, in degrees; both are 0 where it is not known.
  latitude Float32 CODEC(ZSTD(1)),
  longitude Float32 CODEC(ZSTD(1)),
  device_type LowCardinality(String),
  device_brand LowCardinality(String),
  device_model LowCardinality(String),
  browser_name LowCardinality(String),
  browser_version LowCardinality(String),
  os_name LowCardinality(String),
  os_version LowCardinality(String),
  referrer_domain LowCardinality(String),
  referrer_type LowCardinality(String),
  utm_source LowCardinality(String),
  utm_medium LowCardinality(String),
  utm_campaign LowCardinality(String),
  utm_term LowCardinality(String),
  utm_content LowCardinality(String),
  query_names LowCardinality(String),
  -- Days that the plan of the redirect's owner keeps a hit. 0 is for ever, and so is what would lead beyond the
  -- times that a TTL can count to (2106), which would come out as one long past.
  retention_days UInt16 CODEC(ZSTD(1)),
  -- Totals are counted more finely than the rows of lists, of which there are many: uniqCombined(14) against (12).
  PROJECTION by_day (
    SELECT redirect_id, toDate(timestamp), is_bot, bot_reason, status_code,
      count(), sum(1 / sampling_rate), uniqCombinedState(14)(visitor)
    GROUP BY redirect_id, toDate(timestamp), is_bot, bot_reason, status_code
  ),
  PROJECTION by_hour (
    SELECT redirect_id, toStartOfHour(timestamp), is_bot, count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, toStartOfHour(timestamp), is_bot
  ),
  PROJECTION by_condition (
    SELECT redirect_id, toDate(timestamp), is_bot, country, status_code, rule_id, count()
    GROUP BY redirect_id, toDate(timestamp), is_bot, country, status_code, rule_id
  ),
  PROJECTION by_country (
    SELECT redirect_id, toDate(timestamp), is_bot, country, count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, toDate(timestamp), is_bot, country
  ),
  PROJECTION by_device (
    SELECT redirect_id, toDate(timestamp), is_bot, device_type, device_brand, device_model, browser_name,
      browser_version, os_name, os_version, count()
    GROUP BY redirect_id, toDate(timestamp), is_bot, device_type, device_brand, device_model, browser_name,
      browser_version, os_name, os_version
  ),
  PROJECTION by_client (
    SELECT redirect_id, toDate(timestamp), is_bot, device_type, browser_name, count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, toDate(timestamp), is_bot, device_type, browser_name
  ),
  PROJECTION by_language (
    SELECT redirect_id, toDate(timestamp), is_bot, language, count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, toDate(timestamp), is_bot, language
  ),
  PROJECTION by_campaign (
    SELECT redirect_id, toDate(timestamp), is_bot, utm_source, utm_medium, utm_campaign, utm_term, utm_content,
      count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, toDate(timestamp), is_bot, utm_source, utm_medium, utm_campaign, utm_term, utm_content
  ),
  -- Of what there are many different ones, all days of one are side by side and in small granules: for the rows of a
  -- list little else than these rows is read.
  PROJECTION by_place (
    SELECT redirect_id, toDate(timestamp), is_bot, country, region, city,
      count(), max(latitude), max(longitude), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, is_bot, country, region, city, toDate(timestamp)
  ) WITH SETTINGS (index_granularity = 256),
  PROJECTION by_user_agent (
    SELECT redirect_id, toDate(timestamp), is_bot, user_agent, count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, is_bot, user_agent, toDate(timestamp)
  ) WITH SETTINGS (index_granularity = 256),
  PROJECTION by_referrer (
    SELECT redirect_id, toDate(timestamp), is_bot, referrer_type, referrer_domain, referrer,
      count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, is_bot, referrer_type, referrer_domain, referrer, toDate(timestamp)
  ) WITH SETTINGS (index_granularity = 256),
  PROJECTION by_query_names (
    SELECT redirect_id, toDate(timestamp), is_bot, query_names, count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, is_bot, query_names, toDate(timestamp)
  ) WITH SETTINGS (index_granularity = 256),
  PROJECTION by_path (
    SELECT redirect_id, toDate(timestamp), is_bot, path, count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, is_bot, path, toDate(timestamp)
  ) WITH SETTINGS (index_granularity = 256),
  PROJECTION by_destination (
    SELECT redirect_id, toDate(timestamp), is_bot, destination_url, count(), uniqCombinedState(12)(visitor)
    GROUP BY redirect_id, is_bot, destination_url, toDate(timestamp)
  ) WITH SETTINGS (index_granularity = 256),
  -- How often they came of one visitor in 16, whom the keyed hash has chosen, and of all others together, as visitor 0.
  PROJECTION by_visitor (
    SELECT redirect_id, toDate(timestamp), is_bot, if(visitor % 16 = 0, visitor, 0), count()
    GROUP BY redirect_id, toDate(timestamp), is_bot, if(visitor % 16 = 0, visitor, 0)
  ),
  PROJECTION by_producer (
    SELECT redirect_id, producer_id, count(), min(ordinal), max(ordinal)
    GROUP BY redirect_id, producer_id
  )
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (redirect_id, timestamp)
TTL toDateTime(timestamp, 'UTC') + toIntervalDay(retention_days) DELETE WHERE retention_days BETWEEN 1 AND 9999
-- Granules of 2,048 rows: a roll-up is taken where it has fewer granules to read than the hits have.
SETTINGS index_granularity = 2048, non_replicated_deduplication_window = 10000, lightweight_mutation_projection_mode = 'rebuild',
  materialize_projections_on_insert = 0, materialize_projections_on_merge = 1, merge_selector_base = 20;
