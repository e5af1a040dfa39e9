-- The lower number is evaluated first, and 0 is a number as well.
ALTER TABLE rules
  DROP CONSTRAINT rules_priority_check,
  ADD CONSTRAINT rules_priority_check CHECK (priority >= 0);
