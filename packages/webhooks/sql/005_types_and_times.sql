-- Index of the deliveries of one type of one endpoint. An endpoint may have few of a type of which its owner has very many.
CREATE INDEX IF NOT EXISTS deliveries_endpoint_event
  ON webhooks.deliveries ((endpoint_id::text || ' ' || event), sequence);
-- Index by which the times of a filter become limits of `sequence`.
CREATE INDEX IF NOT EXISTS deliveries_created ON webhooks.deliveries (created, sequence);
