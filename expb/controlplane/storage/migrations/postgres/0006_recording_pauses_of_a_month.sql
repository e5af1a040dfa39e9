-- A pause lasts until the month is over or the plan allows more events than it did. Those of before end at once, and
-- begin again where they still hold.
ALTER TABLE recording_pauses
  -- YYYY-MM, UTC.
  ADD COLUMN month text NOT NULL DEFAULT '',
  -- The events that were used up.
  ADD COLUMN event_limit bigint NOT NULL DEFAULT 0;
