-- Triggers wrote the depth of a prefix and the number of prefixes that it covers. A prefix that covers a million others
-- wrote a million rows, and writes below it waited. Both are now computed when a prefix is read. A prefix has one rule
-- left for the database: a VRF may refuse a second prefix with the same network.
DROP TRIGGER place_prefix ON ipam_prefix;
DROP TRIGGER lift_prefix ON ipam_prefix;
DROP TRIGGER move_prefix ON ipam_prefix;
DROP FUNCTION ipam_place_prefix();
DROP FUNCTION ipam_lift_prefix();
DROP FUNCTION ipam_move_prefix();
DROP FUNCTION ipam_recount_around(CIDR, BIGINT);
DROP FUNCTION ipam_shift_children(CIDR, BIGINT, INTEGER);
DROP FUNCTION ipam_covering(CIDR);
DROP TABLE ipam_prefix_children;
DROP SEQUENCE ipam_prefix_children_slot_seq;
ALTER TABLE ipam_prefix DROP COLUMN _depth, DROP COLUMN _children;

-- Writers share the locks of the blocks around a network, which an allocation takes alone: they wait for allocations from
-- prefixes that cover it, and these for them, but writers of other networks do not wait for each other.
CREATE FUNCTION ipam_claim_prefix() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    step CONSTANT INTEGER := CASE family(NEW.prefix) WHEN 4 THEN 4 ELSE 8 END;
    space CONSTANT TEXT := coalesce(NEW.vrf_id, 0) || ' ';
    level INTEGER := 0;
    is_taken BOOLEAN;
BEGIN
    IF NOT ipam_enter_space() THEN
        -- The blocks that ipam_lock_prefix locks for prefixes that cover the network, in its order.
        WHILE level < masklen(NEW.prefix) LOOP
            PERFORM pg_advisory_xact_lock_shared(hashtextextended(space || network(set_masklen(NEW.prefix::inet, level)), 100100));
            level := level + step;
        END LOOP;
        -- Of two transactions that write one network, the second sees the row of the first.
        PERFORM pg_advisory_xact_lock(hashtextextended(space || NEW.prefix, 100101));
    END IF;
    -- Two forms: an index serves = and IS NULL, but not IS NOT DISTINCT FROM.
    IF NEW.vrf_id IS NULL THEN
        is_taken := EXISTS (SELECT FROM ipam_prefix p WHERE p.vrf_id IS NULL AND p.prefix = NEW.prefix AND p.id <> NEW.id);
    ELSE
        is_taken := EXISTS (SELECT FROM ipam_prefix p WHERE p.vrf_id = NEW.vrf_id AND p.prefix = NEW.prefix AND p.id <> NEW.id);
    END IF;
    IF is_taken THEN
        PERFORM ipam_refuse_duplicate_prefix(NEW.id, NEW.prefix, NEW.vrf_id);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER claim_created_prefix BEFORE INSERT ON ipam_prefix
    FOR EACH ROW EXECUTE FUNCTION ipam_claim_prefix();
CREATE TRIGGER claim_moved_prefix AFTER UPDATE OF prefix, vrf_id ON ipam_prefix FOR EACH ROW
    WHEN (OLD.prefix IS DISTINCT FROM NEW.prefix OR OLD.vrf_id IS DISTINCT FROM NEW.vrf_id)
    EXECUTE FUNCTION ipam_claim_prefix();

-- The depth of every prefix, in one pass in the order of ipam_prefix_order_idx. The stack has the prefixes that cover the
-- row or equal it; only prefixes that cover or equal the next row enter it.
CREATE FUNCTION ipam_prefix_depths() RETURNS TABLE (id BIGINT, depth BIGINT) LANGUAGE plpgsql STABLE ROWS 100000 AS $$
DECLARE
    space BIGINT;
    network INET;
    covers BOOLEAN;
    stack INET[];
    space_of_stack BIGINT;
    level INTEGER := 0;
BEGIN
    FOR id, space, network, covers IN
        SELECT p.id, coalesce(p.vrf_id, 0), p.prefix, lead(p.prefix) OVER w <<= p.prefix FROM ipam_prefix p
            WINDOW w AS (ORDER BY p.vrf_id NULLS FIRST, p.prefix, p.id)
    LOOP
        IF space <> space_of_stack THEN
            level := 0;
        END IF;
        WHILE level > 0 AND NOT network <<= stack[level] LOOP
            level := level - 1;
        END LOOP;
        depth := level;
        WHILE depth > 0 AND stack[depth] = network LOOP
            depth := depth - 1;
        END LOOP;
        RETURN NEXT;
        IF covers THEN
            level := level + 1;
            stack[level] := network;
            space_of_stack := space;
        END IF;
    END LOOP;
END $$;
