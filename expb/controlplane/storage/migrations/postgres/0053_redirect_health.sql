-- Health of the destinations of a redirect. A constant default: the table is not rewritten.
ALTER TABLE redirects ADD COLUMN health text NOT NULL DEFAULT 'unknown';
