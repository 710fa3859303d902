-- Index of the failed and queued deliveries of one endpoint. Another endpoint of the owner may have very many of them.
-- The condition differs from that of deliveries_unfinished, which could otherwise be read in place of this index.
CREATE INDEX IF NOT EXISTS deliveries_unfinished_endpoint ON webhooks.deliveries ((endpoint_id::text || ' ' || status), sequence)
  WHERE (status <> 'succeeded')::int <> 0;
