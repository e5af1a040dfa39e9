-- Query parameter for the id of a visit in destinations. NULL: none. Not rewritten: there is no default.
ALTER TABLE redirects ADD COLUMN click_id_param text;
