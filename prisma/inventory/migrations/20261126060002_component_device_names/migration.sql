-- Components are sorted by the name of their device. Each stores it, so that an index has the order of the whole list: a
-- page far into a list joined all devices and all components before it.
--
-- A transaction that creates a component locks the device FOR KEY SHARE before it reads the name. It waits for one that
-- renames the device, and reads the new name. One that renames the device waits for it in turn, and then finds the component.
CREATE OR REPLACE FUNCTION dcim_read_device_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT name INTO NEW._device_name FROM dcim_device WHERE id = NEW.device_id FOR KEY SHARE;
    RETURN NEW;
END $$;

-- Writes the names of renamed devices to their components. The components are locked in the order of their ids, as a request
-- that changes a list of them locks them.
CREATE OR REPLACE FUNCTION dcim_write_device_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    renamed CONSTANT BIGINT[] := ARRAY(SELECT id FROM new_devices JOIN old_devices USING (id)
        WHERE new_devices.name IS DISTINCT FROM old_devices.name);
    target TEXT;
BEGIN
    IF cardinality(renamed) = 0 THEN
        RETURN NULL;
    END IF;
    FOREACH target IN ARRAY ARRAY['dcim_interface', 'dcim_consoleport', 'dcim_consoleserverport', 'dcim_powerport',
        'dcim_poweroutlet', 'dcim_frontport', 'dcim_rearport', 'dcim_modulebay', 'dcim_devicebay'] LOOP
        EXECUTE format('SELECT count(*) FROM (SELECT FROM %I WHERE device_id = ANY ($1) ORDER BY id FOR NO KEY UPDATE) locked',
            target) USING renamed;
        EXECUTE format('UPDATE %I c SET _device_name = d.name FROM dcim_device d WHERE d.id = ANY ($1) AND c.device_id = d.id',
            target) USING renamed;
    END LOOP;
    RETURN NULL;
END $$;
