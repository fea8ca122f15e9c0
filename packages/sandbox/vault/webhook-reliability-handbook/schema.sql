-- Receiver: the unique key is what makes a second delivery harmless.
CREATE TABLE webhook_deliveries (
  id          text PRIMARY KEY,
  received_at timestamptz NOT NULL DEFAULT now(),
  kind        text NOT NULL,
  body        jsonb NOT NULL,
  done_at     timestamptz
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (received_at) WHERE done_at IS NULL;
