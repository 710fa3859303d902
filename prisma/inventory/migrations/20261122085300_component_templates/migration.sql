-- What component templates must share with the templates that they refer to: their type.

-- What a type of devices or of modules is called in a refusal: whichever of the two two templates do not share.
CREATE FUNCTION dcim_type_not_shared(device_type BIGINT, module_type BIGINT, other_device_type BIGINT, other_module_type BIGINT)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN device_type IS NOT NULL AND other_device_type IS DISTINCT FROM device_type THEN 'device type'
        WHEN module_type IS NOT NULL AND other_module_type IS DISTINCT FROM module_type THEN 'module type'
    END
$$;

CREATE FUNCTION dcim_place_outlet_template() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    port dcim_powerporttemplate;
    kind TEXT;
BEGIN
    SELECT * INTO port FROM dcim_powerporttemplate p WHERE p.id = NEW.power_port_id FOR SHARE;
    kind := dcim_type_not_shared(NEW.device_type_id, NEW.module_type_id, port.device_type_id, port.module_type_id);
    IF port.id IS NOT NULL AND kind IS NOT NULL THEN
        RAISE EXCEPTION 'power port of another type' USING ERRCODE = 'check_violation', TABLE = 'dcim_poweroutlettemplate',
            CONSTRAINT = 'dcim_poweroutlettemplate_power_port_type', COLUMN = 'power_port_id',
            DETAIL = format('Parent power port (%s) must belong to the same %s', port.name || coalesce(' (' || nullif(port.label, '') || ')', ''), kind);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_outlet BEFORE INSERT ON dcim_poweroutlettemplate
    FOR EACH ROW WHEN (NEW.power_port_id IS NOT NULL) EXECUTE FUNCTION dcim_place_outlet_template();
CREATE TRIGGER move_outlet BEFORE UPDATE OF power_port_id, device_type_id, module_type_id ON dcim_poweroutlettemplate
    FOR EACH ROW WHEN (NEW.power_port_id IS NOT NULL AND (OLD.power_port_id, OLD.device_type_id, OLD.module_type_id)
        IS DISTINCT FROM (NEW.power_port_id, NEW.device_type_id, NEW.module_type_id))
    EXECUTE FUNCTION dcim_place_outlet_template();

ALTER TABLE dcim_interfacetemplate ADD CONSTRAINT dcim_interfacetemplate_bridge_self CHECK (bridge_id <> id);

CREATE FUNCTION dcim_bridge_interface_template() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bridge dcim_interfacetemplate;
    kind TEXT;
BEGIN
    SELECT * INTO bridge FROM dcim_interfacetemplate i WHERE i.id = NEW.bridge_id FOR SHARE;
    kind := dcim_type_not_shared(NEW.device_type_id, NEW.module_type_id, bridge.device_type_id, bridge.module_type_id);
    IF bridge.id <> NEW.id AND kind IS NOT NULL THEN
        RAISE EXCEPTION 'bridge of another type' USING ERRCODE = 'check_violation', TABLE = 'dcim_interfacetemplate',
            CONSTRAINT = 'dcim_interfacetemplate_bridge_type', COLUMN = 'bridge_id',
            DETAIL = format('Bridge interface (%s) must belong to the same %s', bridge.name || coalesce(' (' || nullif(bridge.label, '') || ')', ''), kind);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER bridge_interface BEFORE INSERT ON dcim_interfacetemplate
    FOR EACH ROW WHEN (NEW.bridge_id IS NOT NULL) EXECUTE FUNCTION dcim_bridge_interface_template();
CREATE TRIGGER rebridge_interface BEFORE UPDATE OF bridge_id, device_type_id, module_type_id ON dcim_interfacetemplate
    FOR EACH ROW WHEN (NEW.bridge_id IS NOT NULL AND (OLD.bridge_id, OLD.device_type_id, OLD.module_type_id)
        IS DISTINCT FROM (NEW.bridge_id, NEW.device_type_id, NEW.module_type_id))
    EXECUTE FUNCTION dcim_bridge_interface_template();

-- Templates may move to another type of modules as long as no other template refers to them: arguments are the table
-- and the column of those that may.
CREATE FUNCTION dcim_keep_module_type() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_used BOOLEAN;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %I = $1)', TG_ARGV[0], TG_ARGV[1]) INTO is_used USING NEW.id;
    IF is_used THEN
        RAISE EXCEPTION 'template that others refer to' USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME,
            CONSTRAINT = TG_TABLE_NAME || '_module_type_used', COLUMN = 'module_type_id',
            DETAIL = 'Component templates that others refer to cannot be moved to a different module type.';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_module_type BEFORE UPDATE OF module_type_id ON dcim_powerporttemplate
    FOR EACH ROW WHEN (OLD.module_type_id IS DISTINCT FROM NEW.module_type_id)
    EXECUTE FUNCTION dcim_keep_module_type('dcim_poweroutlettemplate', 'power_port_id');
CREATE TRIGGER keep_module_type BEFORE UPDATE OF module_type_id ON dcim_interfacetemplate
    FOR EACH ROW WHEN (OLD.module_type_id IS DISTINCT FROM NEW.module_type_id)
    EXECUTE FUNCTION dcim_keep_module_type('dcim_interfacetemplate', 'bridge_id');
CREATE TRIGGER keep_module_type BEFORE UPDATE OF module_type_id ON dcim_frontporttemplate
    FOR EACH ROW WHEN (OLD.module_type_id IS DISTINCT FROM NEW.module_type_id)
    EXECUTE FUNCTION dcim_keep_module_type('dcim_porttemplatemapping', 'front_port_id');
CREATE TRIGGER keep_module_type BEFORE UPDATE OF module_type_id ON dcim_rearporttemplate
    FOR EACH ROW WHEN (OLD.module_type_id IS DISTINCT FROM NEW.module_type_id)
    EXECUTE FUNCTION dcim_keep_module_type('dcim_porttemplatemapping', 'rear_port_id');

-- Only devices that hold others have bays for them. Templates of a type wait for a change of what the type is.
CREATE FUNCTION dcim_place_device_bay_template() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    type dcim_devicetype;
BEGIN
    SELECT * INTO type FROM dcim_devicetype t WHERE t.id = NEW.device_type_id FOR SHARE;
    IF type.id IS NOT NULL AND type.subdevice_role IS DISTINCT FROM 'parent' THEN
        RAISE EXCEPTION 'no parent type' USING ERRCODE = 'check_violation', TABLE = 'dcim_devicebaytemplate',
            CONSTRAINT = 'dcim_devicebaytemplate_parent_type', COLUMN = 'device_type_id',
            DETAIL = format('Subdevice role of device type (%s) must be set to "parent" to allow device bays.', type.model);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_bay BEFORE INSERT OR UPDATE ON dcim_devicebaytemplate
    FOR EACH ROW EXECUTE FUNCTION dcim_place_device_bay_template();

-- The tree of a type's inventory, and what it belongs to, are templates of that type. A component has no foreign key,
-- and stays with its type of devices.
CREATE FUNCTION dcim_place_inventory_template() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    above BIGINT;
    of_component BIGINT;
BEGIN
    SELECT device_type_id INTO above FROM dcim_inventoryitemtemplate i WHERE i.id = NEW.parent_id;
    IF above <> NEW.device_type_id THEN
        RAISE EXCEPTION 'parent of another type' USING ERRCODE = 'check_violation', TABLE = 'dcim_inventoryitemtemplate',
            CONSTRAINT = 'dcim_inventoryitemtemplate_parent_type', COLUMN = 'parent_id',
            DETAIL = 'Parent inventory item template does not belong to the same device type.';
    END IF;
    IF NEW.component_type IS NOT NULL THEN
        EXECUTE format('SELECT device_type_id FROM %I WHERE id = $1', replace(NEW.component_type, '.', '_'))
            INTO of_component USING NEW.component_id;
        IF of_component IS DISTINCT FROM NEW.device_type_id THEN
            RAISE EXCEPTION 'component of another type' USING ERRCODE = 'check_violation', TABLE = 'dcim_inventoryitemtemplate',
                CONSTRAINT = 'dcim_inventoryitemtemplate_component_type', COLUMN = 'component_id',
                DETAIL = 'Cannot assign inventory item template to component template of another device type';
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_inventory BEFORE INSERT OR UPDATE OF parent_id, component_type, component_id ON dcim_inventoryitemtemplate
    FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL OR NEW.component_type IS NOT NULL)
    EXECUTE FUNCTION dcim_place_inventory_template();
