-- The depth of every prefix, in one scan of ipam_prefix_order_idx and in its order: the order of the list. The stack has
-- the networks that cover the current row, with the number of prefixes that have the network. The window function of the
-- former version took two fifths of its time.
CREATE OR REPLACE FUNCTION ipam_prefix_depths() RETURNS TABLE (id BIGINT, depth BIGINT) LANGUAGE plpgsql STABLE ROWS 100000 AS $$
DECLARE
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
    FOR id, row_space, network IN
        SELECT p.id, coalesce(p.vrf_id, 0), p.prefix FROM ipam_prefix p ORDER BY p.vrf_id NULLS FIRST, p.prefix, p.id
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
