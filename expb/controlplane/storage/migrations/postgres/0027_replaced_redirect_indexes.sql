-- The indexes of live redirects replace these.
ALTER TABLE redirects DROP CONSTRAINT redirects_domain_once_per_user;
DROP INDEX redirects_of_user;
