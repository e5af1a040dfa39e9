-- Whether the user was made without a login, as bootstrapping makes the operator. It stays true when the user sets a password.
ALTER TABLE users ADD COLUMN made_without_login boolean NOT NULL DEFAULT false;
