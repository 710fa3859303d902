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
                    CREATE OR REPLACE TRIGGER write_device_names AFTER UPDATE ON dcim_device
                        REFERENCING OLD TABLE AS old_devices NEW TABLE AS new_devices
                        FOR EACH STATEMENT EXECUTE FUNCTION dcim_write_device_names();
                ELSE
                    EXECUTE format('ALTER TABLE %I ADD COLUMN IF NOT EXISTS _device_name VARCHAR(64) COLLATE natural_sort', target);
                    EXECUTE format('CREATE OR REPLACE TRIGGER read_device_name BEFORE INSERT ON %I
                        FOR EACH ROW EXECUTE FUNCTION dcim_read_device_name()', target);
                    EXECUTE format('CREATE OR REPLACE TRIGGER reread_device_name BEFORE UPDATE OF device_id ON %I
                        FOR EACH ROW WHEN (OLD.device_id IS DISTINCT FROM NEW.device_id) EXECUTE FUNCTION dcim_read_device_name()', target);
                END IF;
                IF target = 'dcim_devicebay' THEN
                    -- Changing anything else of a bay locked its device after the bay, and a renaming locks the bay after the device.
                    CREATE OR REPLACE TRIGGER fill_bay BEFORE INSERT ON dcim_devicebay
                        FOR EACH ROW EXECUTE FUNCTION dcim_fill_device_bay();
                    CREATE OR REPLACE TRIGGER refill_bay BEFORE UPDATE OF device_id, installed_device_id ON dcim_devicebay
                        FOR EACH ROW WHEN ((OLD.device_id, OLD.installed_device_id)
                            IS DISTINCT FROM (NEW.device_id, NEW.installed_device_id))
                        EXECUTE FUNCTION dcim_fill_device_bay();
                END IF;
                is_done := true;
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                PERFORM pg_sleep(0.5);
            END;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
