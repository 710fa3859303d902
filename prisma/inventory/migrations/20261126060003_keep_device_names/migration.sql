-- The columns, then the triggers. One transaction a table, and a limit for its lock: a writer that waits behind a lock that
-- is not granted waits as long as that lock does.
DO $$
DECLARE
    target TEXT;
    is_done BOOLEAN;
BEGIN
    FOREACH target IN ARRAY ARRAY['dcim_interface', 'dcim_consoleport', 'dcim_consoleserverport', 'dcim_powerport',
        'dcim_poweroutlet', 'dcim_frontport', 'dcim_rearport', 'dcim_modulebay', 'dcim_devicebay', 'dcim_device'] LOOP
        is_done := false;
        WHILE NOT is_done LOOP
            BEGIN
                PERFORM set_config('lock_timeout', '500ms', true);
                IF target = 'dcim_device' THEN
                    CREATE OR REPLACE TRIGGER write_device_name AFTER UPDATE OF name ON dcim_device FOR EACH ROW
                        WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION dcim_write_device_name();
                ELSE
                    EXECUTE format('ALTER TABLE %I ADD COLUMN IF NOT EXISTS _device_name VARCHAR(64) COLLATE natural_sort', target);
                    EXECUTE format('CREATE OR REPLACE TRIGGER read_device_name BEFORE INSERT ON %I
                        FOR EACH ROW EXECUTE FUNCTION dcim_read_device_name()', target);
                    EXECUTE format('CREATE OR REPLACE TRIGGER reread_device_name BEFORE UPDATE OF device_id ON %I
                        FOR EACH ROW WHEN (OLD.device_id IS DISTINCT FROM NEW.device_id) EXECUTE FUNCTION dcim_read_device_name()', target);
                END IF;
                is_done := true;
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                PERFORM pg_sleep(0.5);
            END;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
