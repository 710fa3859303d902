-- Addresses that another has in hand were counted among those that a transaction holds, and a few clients of one prefix
-- counted themselves into taking the whole space, each with a share of it in hand.
CREATE OR REPLACE FUNCTION ipam_hold_address(address INET, vrf BIGINT, patient BOOLEAN) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    key CONSTANT BIGINT := hashtextextended(coalesce(vrf, 0) || ' ' || host(address), 100200);
BEGIN
    IF ipam_enter_space() THEN
        RETURN true;
    END IF;
    IF patient THEN
        PERFORM pg_advisory_xact_lock(key);
        RETURN true;
    END IF;
    IF pg_try_advisory_xact_lock(key) THEN
        RETURN true;
    END IF;
    -- Never below one: the share of the space is held.
    PERFORM set_config('switchboard.ipam_locks', greatest(1, current_setting('switchboard.ipam_locks')::integer - 1)::text, true);
    RETURN false;
END $$;
