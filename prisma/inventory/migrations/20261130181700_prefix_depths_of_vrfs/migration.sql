-- The depths of the prefixes in some VRFs, where null is the global table, or of all prefixes if `vrfs` is null. One scan of
-- ipam_prefix_order_idx and in its order: the order of the list. The stack has the networks that cover the current row, with
-- the number of prefixes that have the network. The query is planned at each call, for its own VRFs.
CREATE FUNCTION ipam_prefix_depths(vrfs BIGINT[]) RETURNS TABLE (id BIGINT, depth BIGINT) LANGUAGE plpgsql STABLE ROWS 100000 AS $$
DECLARE
    -- An index supports each form of the condition.
    condition CONSTANT TEXT := CASE
        WHEN vrfs IS NULL THEN 'true'
        WHEN cardinality(vrfs) = 1 AND vrfs[1] IS NULL THEN 'p.vrf_id IS NULL'
        WHEN cardinality(vrfs) = 1 THEN 'p.vrf_id = ($1)[1]'
        WHEN array_position(vrfs, NULL) IS NULL THEN 'p.vrf_id = ANY ($1)'
        ELSE 'p.vrf_id = ANY ($1) OR p.vrf_id IS NULL' END;
    row_space BIGINT;
    network INET;
    space BIGINT;
    previous INET;
    -- Prefixes before the row with the network of the previous row, but for the first.
    duplicates BIGINT := 0;
    level INTEGER := 0;
    networks INET[];
    counts BIGINT[];
BEGIN
    depth := 0;
    FOR id, row_space, network IN EXECUTE
        'SELECT p.id, coalesce(p.vrf_id, 0), p.prefix FROM ipam_prefix p WHERE ' || condition
            || ' ORDER BY p.vrf_id NULLS FIRST, p.prefix, p.id' USING vrfs
    LOOP
        IF row_space = space AND network <<= previous THEN
            IF network = previous THEN
                duplicates := duplicates + 1;
            ELSE
                level := level + 1;
                networks[level] := previous;
                counts[level] := duplicates + 1;
                depth := depth + duplicates + 1;
                duplicates := 0;
            END IF;
        ELSE
            IF row_space <> space THEN
                level := 0;
                depth := 0;
            END IF;
            WHILE level > 0 AND NOT network <<= networks[level] LOOP
                depth := depth - counts[level];
                level := level - 1;
            END LOOP;
            duplicates := 0;
        END IF;
        space := row_space;
        previous := network;
        RETURN NEXT;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ipam_prefix_depths() RETURNS TABLE (id BIGINT, depth BIGINT) LANGUAGE sql STABLE ROWS 100000 AS $$
    SELECT d.id, d.depth FROM ipam_prefix_depths(NULL::bigint[]) d
$$;
