-- Number of entries in the table of paths, beside the members that lists show. A constant default rewrites no row.
ALTER TABLE redirects ADD COLUMN path_count integer NOT NULL DEFAULT 0;
