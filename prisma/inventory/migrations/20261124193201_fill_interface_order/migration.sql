-- Fills the new column in batches, each committed: no reader or writer waits. One statement, outside of a transaction; run
-- again it goes on. Interfaces that are written meanwhile have their order by the trigger.
DO $$
DECLARE
    target TEXT;
    next_id BIGINT;
    last_id BIGINT;
    step CONSTANT BIGINT := 5000;
BEGIN
    FOREACH target IN ARRAY ARRAY['dcim_interface', 'virtualization_vminterface'] LOOP
        EXECUTE format('SELECT min(id), max(id) FROM %I', target) INTO next_id, last_id;
        WHILE next_id <= last_id LOOP
            -- The trigger computes the value.
            EXECUTE format('UPDATE %I SET _order = $1 WHERE id >= $2 AND id < $3 AND _order IS NULL', target)
                USING '', next_id, next_id + step;
            COMMIT;
            next_id := next_id + step;
        END LOOP;
    END LOOP;
END $$;
