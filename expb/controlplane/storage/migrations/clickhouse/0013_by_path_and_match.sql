-- The roll-up behind stats/paths and stats/unmatched-paths takes the place of by_path. Its second key says that neither a rule nor an
-- entry of paths decided; the number is NO_ENTRY (shared/paths/entry-ids.ts). Most paths have one value of it, so there are
-- hardly more rows than in by_path. See controlplane/decisions/0047-paths-with-what-decided.md.
ALTER TABLE hits ADD PROJECTION IF NOT EXISTS by_path_and_match (
  SELECT redirect_id, toDate(timestamp), is_bot, path, rule_id = 0 OR entry_id = 1099511627776, count(),
    uniqCombinedState(12)(visitor)
  GROUP BY redirect_id, is_bot, path, rule_id = 0 OR entry_id = 1099511627776, toDate(timestamp)
) WITH SETTINGS (index_granularity = 256);
-- Makes the roll-ups that stored parts lack, part by part in the background, and leaves those that they have. All are named, because
-- a part that got the new one alone would never be merged with others. The settings keep the engine from waiting.
ALTER TABLE hits
  MATERIALIZE PROJECTION by_day,
  MATERIALIZE PROJECTION by_hour,
  MATERIALIZE PROJECTION by_condition,
  MATERIALIZE PROJECTION by_country,
  MATERIALIZE PROJECTION by_device,
  MATERIALIZE PROJECTION by_client,
  MATERIALIZE PROJECTION by_language,
  MATERIALIZE PROJECTION by_campaign,
  MATERIALIZE PROJECTION by_place,
  MATERIALIZE PROJECTION by_user_agent,
  MATERIALIZE PROJECTION by_referrer,
  MATERIALIZE PROJECTION by_query_names,
  MATERIALIZE PROJECTION by_destination,
  MATERIALIZE PROJECTION by_visitor,
  MATERIALIZE PROJECTION by_producer,
  MATERIALIZE PROJECTION by_entry,
  MATERIALIZE PROJECTION by_path_and_match
SETTINGS mutations_sync = 0;
ALTER TABLE hits DROP PROJECTION IF EXISTS by_path SETTINGS alter_sync = 0;
