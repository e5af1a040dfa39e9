-- Counting the redirects of a user takes time in proportion to them, and each creation needs the number.
ALTER TABLE users ADD COLUMN redirect_count integer NOT NULL DEFAULT 0;
CREATE FUNCTION count_created_redirects() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE users SET redirect_count = redirect_count + created.redirects
    FROM (SELECT user_id, count(*) AS redirects FROM changed GROUP BY user_id) AS created WHERE users.id = created.user_id; RETURN NULL; END $$;
CREATE FUNCTION count_deleted_redirects() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE users SET redirect_count = redirect_count - deleted.redirects
    FROM (SELECT user_id, count(*) AS redirects FROM changed GROUP BY user_id) AS deleted WHERE users.id = deleted.user_id; RETURN NULL; END $$;
-- Keeps others from writing redirects until this transaction ends, so that none is missed.
CREATE TRIGGER redirect_created AFTER INSERT ON redirects REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_created_redirects();
CREATE TRIGGER redirect_deleted AFTER DELETE ON redirects REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_redirects();
UPDATE users SET redirect_count = counted.redirects
FROM (SELECT user_id, count(*) AS redirects FROM redirects GROUP BY user_id) AS counted WHERE users.id = counted.user_id;
