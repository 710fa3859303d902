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

CREATE OR REPLACE FUNCTION dcim_write_device_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE dcim_interface SET _device_name = NEW.name WHERE device_id = NEW.id;
    UPDATE dcim_consoleport SET _device_name = NEW.name WHERE device_id = NEW.id;
    UPDATE dcim_consoleserverport SET _device_name = NEW.name WHERE device_id = NEW.id;
    UPDATE dcim_powerport SET _device_name = NEW.name WHERE device_id = NEW.id;
    UPDATE dcim_poweroutlet SET _device_name = NEW.name WHERE device_id = NEW.id;
    UPDATE dcim_frontport SET _device_name = NEW.name WHERE device_id = NEW.id;
    UPDATE dcim_rearport SET _device_name = NEW.name WHERE device_id = NEW.id;
    UPDATE dcim_modulebay SET _device_name = NEW.name WHERE device_id = NEW.id;
    UPDATE dcim_devicebay SET _device_name = NEW.name WHERE device_id = NEW.id;
    RETURN NULL;
END $$;
