-- What becomes of rows for domains that the user has already: 'fail', 'skip' or 'update'.
ALTER TABLE imports ADD COLUMN on_existing text NOT NULL DEFAULT 'fail';
