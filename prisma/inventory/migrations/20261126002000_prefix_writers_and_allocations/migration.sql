-- An allocation found a block free that an open transaction had written by name, and gave out a prefix that overlapped it.
-- Writers now share the locks of the blocks around a network, which an allocation takes alone: they wait for allocations
-- from prefixes that cover it, and these for them, but writers of other networks do not wait for each other.
CREATE OR REPLACE FUNCTION ipam_claim_prefix() RETURNS trigger LANGUAGE plpgsql AS $$
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
