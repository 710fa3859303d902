-- Indexes by which statements about due, waiting and listed deliveries read few rows, whatever the statistics are.
-- `next_attempt_at` is null unless a delivery is queued, and `waiting_for` is null unless it waits.
-- Writes of deliveries wait until the indexes are built. On a large table, create them before this migration by the same
-- statements with CREATE INDEX CONCURRENTLY.
-- Deliveries that wait come after those that are due or being sent.
CREATE INDEX IF NOT EXISTS deliveries_by_due_time ON webhooks.deliveries (((waiting_for IS NOT NULL)::int), next_attempt_at, sequence)
  WHERE next_attempt_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS deliveries_waiting ON webhooks.deliveries (endpoint_id) WHERE waiting_for IS NOT NULL;
-- The first columns differ from those of deliveries_owner, which could otherwise be read in place of these.
CREATE INDEX IF NOT EXISTS deliveries_unfinished ON webhooks.deliveries (status, owner, sequence) WHERE status <> 'succeeded';
CREATE INDEX IF NOT EXISTS deliveries_event ON webhooks.deliveries (event, owner, sequence);
-- The indexes that these replace. Their removal also blocks reads, so it follows the builds.
DROP INDEX webhooks.deliveries_due;
DROP INDEX webhooks.deliveries_queued;
DROP INDEX webhooks.deliveries_failed;

-- Returns true if an owner has fewer than p_limit endpoints. Until the end of the transaction, other transactions that
-- create an endpoint of the same owner wait. In a READ COMMITTED transaction the count includes what they have committed.
CREATE FUNCTION webhooks.may_add_endpoint(p_owner text, p_limit integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('webhooks.endpoints of ' || p_owner, 0));
  RETURN (SELECT count(*) FROM (SELECT FROM webhooks.endpoints e WHERE e.owner = p_owner LIMIT p_limit) AS found) < p_limit;
END $$;
