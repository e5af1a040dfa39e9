ALTER TABLE webhook_endpoints
  -- Since when it is sent nothing, because it has answered that it is gone for good.
  ADD COLUMN disabled_at timestamptz;
