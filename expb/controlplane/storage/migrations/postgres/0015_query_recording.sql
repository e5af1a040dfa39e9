-- A constant default takes no rewrite of the table. The check is not validated: existing rows have the default, and a scan
-- of a large table would block its readers.
ALTER TABLE redirects
  ADD COLUMN query_recording text NOT NULL DEFAULT 'full',
  ADD CONSTRAINT redirects_query_recording_check CHECK (query_recording IN ('full', 'names', 'none')) NOT VALID;
