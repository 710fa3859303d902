-- Fills the new columns in batches, each committed, so that writers wait for one batch at most. One statement, outside of a
-- transaction; run again it goes on. The devices are locked as by a writer of components: a name that is read here is the
-- one that is stored, and a device that is renamed meanwhile writes its components afterwards. Components are locked in the
-- order of their ids, as by a writer of several.
DO $$
DECLARE
    target TEXT;
    next_id BIGINT;
    last_id BIGINT;
    step CONSTANT BIGINT := 1000;
BEGIN
    FOREACH target IN ARRAY ARRAY['dcim_interface', 'dcim_consoleport', 'dcim_consoleserverport', 'dcim_powerport',
        'dcim_poweroutlet', 'dcim_frontport', 'dcim_rearport', 'dcim_modulebay', 'dcim_devicebay'] LOOP
        EXECUTE format('SELECT min(id), max(id) FROM %I', target) INTO next_id, last_id;
        WHILE next_id <= last_id LOOP
            BEGIN
                EXECUTE format('SELECT count(*) FROM (SELECT FROM dcim_device
                    WHERE id IN (SELECT device_id FROM %I WHERE id >= $1 AND id < $2) ORDER BY id FOR KEY SHARE) locked', target)
                    USING next_id, next_id + step;
                EXECUTE format('SELECT count(*) FROM (SELECT FROM %I
                    WHERE id >= $1 AND id < $2 ORDER BY id FOR NO KEY UPDATE) locked', target) USING next_id, next_id + step;
                EXECUTE format('UPDATE %I c SET _device_name = d.name FROM dcim_device d
                    WHERE d.id = c.device_id AND c.id >= $1 AND c.id < $2 AND c._device_name IS DISTINCT FROM d.name', target)
                    USING next_id, next_id + step;
                next_id := next_id + step;
            EXCEPTION WHEN deadlock_detected THEN
                -- The batch is tried again. An error would leave the migration failed.
                PERFORM pg_sleep(0.1);
            END;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
