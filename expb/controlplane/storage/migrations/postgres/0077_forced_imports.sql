-- Whether an import may break examples of redirects. A constant default rewrites no row.
ALTER TABLE imports ADD COLUMN force boolean NOT NULL DEFAULT false;
