-- Whether imported paths lead to the end of their chain at once.
ALTER TABLE imports ADD COLUMN collapse boolean NOT NULL DEFAULT false;
