-- What logging in has made: of these a user has a bounded number, and the newest stay.
ALTER TABLE tokens ADD COLUMN is_session boolean NOT NULL DEFAULT false;
