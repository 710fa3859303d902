-- A component and what it belongs to are of one device (contract 3.3).

CREATE FUNCTION dcim_check_module() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM dcim_module m WHERE m.id = NEW.module_id AND m.device_id <> NEW.device_id) THEN
        RAISE EXCEPTION 'a module of another device' USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME,
            CONSTRAINT = 'dcim_component_module', COLUMN = 'module_id',
            DETAIL = (SELECT format('The selected module belongs to a different device (%s).', dcim_device_display(m.device_id))
                FROM dcim_module m WHERE m.id = NEW.module_id);
    END IF;
    RETURN NEW;
END $$;
DO $$
DECLARE
    component TEXT;
BEGIN
    FOREACH component IN ARRAY ARRAY['dcim_consoleport', 'dcim_consoleserverport', 'dcim_frontport', 'dcim_interface',
        'dcim_poweroutlet', 'dcim_powerport', 'dcim_rearport'] LOOP
        EXECUTE format('CREATE TRIGGER check_module BEFORE INSERT OR UPDATE OF module_id, device_id ON %I FOR EACH ROW
            WHEN (NEW.module_id IS NOT NULL) EXECUTE FUNCTION dcim_check_module()', component);
    END LOOP;
END $$;

CREATE FUNCTION dcim_check_power_port() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM dcim_powerport p WHERE p.id = NEW.power_port_id AND p.device_id <> NEW.device_id) THEN
        RAISE EXCEPTION 'a power port of another device' USING ERRCODE = 'check_violation', TABLE = 'dcim_poweroutlet',
            CONSTRAINT = 'dcim_poweroutlet_power_port', COLUMN = 'power_port_id',
            DETAIL = (SELECT format('Parent power port (%s) must belong to the same device', concat(p.name, ' (' || nullif(p.label, '') || ')'))
                FROM dcim_powerport p WHERE p.id = NEW.power_port_id);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_power_port BEFORE INSERT OR UPDATE OF power_port_id, device_id ON dcim_poweroutlet FOR EACH ROW
    WHEN (NEW.power_port_id IS NOT NULL) EXECUTE FUNCTION dcim_check_power_port();
