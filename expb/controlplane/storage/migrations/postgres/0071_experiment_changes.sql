-- What the action of a rule was before each change, so that results are split there. A trigger notes the changes of all
-- releases and of all code that writes rules.
CREATE TABLE experiment_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rule_id bigint NOT NULL REFERENCES rules (id) ON DELETE CASCADE,
  changed_at timestamptz NOT NULL DEFAULT now(),
  action_before jsonb NOT NULL
);
CREATE INDEX experiment_changes_of_rule ON experiment_changes (rule_id, id);
-- The newest 100 changes of a rule stay.
CREATE FUNCTION note_experiment_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO experiment_changes (rule_id, action_before) VALUES (OLD.id, OLD.action); DELETE FROM experiment_changes
    WHERE rule_id = OLD.id AND id <= (SELECT id FROM experiment_changes WHERE rule_id = OLD.id
      ORDER BY id DESC OFFSET 100 LIMIT 1); RETURN NULL; END $$;
CREATE TRIGGER experiment_changed AFTER UPDATE OF action ON rules FOR EACH ROW
  WHEN (OLD.action IS DISTINCT FROM NEW.action) EXECUTE FUNCTION note_experiment_change();
