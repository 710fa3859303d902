-- Counts in slots (backend pid modulo 32) made a writer wait for the transaction of another writer with the same slot.
-- Each statement now inserts a row with a number of its own as the slot, and the sum stays the count. A background task
-- folds the rows of a model or prefix into one. Two rows get the same number only when the sequence has begun again.
CREATE SEQUENCE row_counts_slot_seq AS INTEGER MINVALUE 32 CYCLE;
CREATE SEQUENCE ipam_prefix_children_slot_seq AS INTEGER MINVALUE 32 CYCLE;

CREATE OR REPLACE FUNCTION count_added_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts AS c (model, slot, n)
    SELECT TG_ARGV[0], nextval('row_counts_slot_seq'), count(*) FROM added HAVING count(*) > 0
    ON CONFLICT (model, slot) DO UPDATE SET n = c.n + excluded.n;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_removed_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts AS c (model, slot, n)
    SELECT TG_ARGV[0], nextval('row_counts_slot_seq'), -count(*) FROM removed HAVING count(*) > 0
    ON CONFLICT (model, slot) DO UPDATE SET n = c.n + excluded.n;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ipam_shift_children(network CIDR, vrf BIGINT, shift INTEGER) RETURNS void LANGUAGE sql AS $$
    INSERT INTO ipam_prefix_children AS c (prefix_id, slot, n)
    SELECT p.id, nextval('ipam_prefix_children_slot_seq'), shift FROM ipam_prefix p
    WHERE p.prefix >> network AND p.vrf_id IS NOT DISTINCT FROM vrf
    ON CONFLICT (prefix_id, slot) DO UPDATE SET n = c.n + excluded.n
$$;
