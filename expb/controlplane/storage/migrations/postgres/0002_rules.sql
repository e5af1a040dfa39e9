CREATE TABLE rules (
  -- A number: clients reorder by numeric ids.
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  redirect_id text NOT NULL REFERENCES redirects (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  type text NOT NULL CHECK (type IN ('force', 'percentage', 'ab_experiment')),
  conditions jsonb NOT NULL,
  condition_logic text NOT NULL CHECK (condition_logic IN ('AND', 'OR')),
  action jsonb NOT NULL,
  -- The lower number is evaluated first.
  priority integer NOT NULL CHECK (priority > 0),
  status text NOT NULL CHECK (status IN ('active', 'inactive', 'draft')),
  -- Both ends included.
  start_date timestamptz,
  end_date timestamptz,
  metadata jsonb NOT NULL DEFAULT '{}',
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Checked at the end of a transaction, so that priorities can be exchanged within one.
  CONSTRAINT rules_priority_once UNIQUE (redirect_id, priority) DEFERRABLE INITIALLY DEFERRED
);
