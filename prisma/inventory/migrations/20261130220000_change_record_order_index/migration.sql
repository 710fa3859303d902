-- The list of change records has the newest ones first, and records of one time by descending id. With ascending ids in the
-- index, a page at a large offset sorted the skipped records of each time.
CREATE INDEX CONCURRENTLY core_objectchange_order_idx ON core_objectchange (time DESC, id DESC);
