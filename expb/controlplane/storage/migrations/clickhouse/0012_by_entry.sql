-- The roll-up behind stats/entries: hits by what decided, be it an entry of paths alone (rule_id) or beside a rule (entry_id). Parts
-- from before are read hit by hit until a merge takes them in. See controlplane/decisions/0040-one-statement-for-each-roll-up.md.
ALTER TABLE hits ADD PROJECTION IF NOT EXISTS by_entry (
  SELECT redirect_id, toDate(timestamp), is_bot, rule_id, entry_id, count()
  GROUP BY redirect_id, toDate(timestamp), is_bot, rule_id, entry_id
);
