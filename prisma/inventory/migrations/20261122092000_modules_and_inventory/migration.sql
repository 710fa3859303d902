-- Bays, what is in them, and the inventory of devices (contract 3.3).

-- A bay of a module stands below the bay that the module is in: bays are a tree, whose nodes follow the modules.
ALTER TABLE dcim_modulebay
    ADD COLUMN parent_id BIGINT,
    ADD COLUMN _depth INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN _path BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    ADD CONSTRAINT dcim_modulebay_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_modulebay (id) ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX dcim_modulebay_parent_id_idx ON dcim_modulebay (parent_id);
CREATE INDEX dcim_modulebay__path_idx ON dcim_modulebay USING gin (_path);
WITH RECURSIVE tree AS (
    SELECT b.id, NULL::bigint AS parent, 0 AS depth, ARRAY[b.id] AS path, ARRAY[b.name::text] AS sort
        FROM dcim_modulebay b WHERE b.module_id IS NULL
    UNION ALL
    SELECT b.id, tree.id, depth + 1, path || b.id, sort || b.name::text
        FROM tree JOIN dcim_module m ON m.module_bay_id = tree.id JOIN dcim_modulebay b ON b.module_id = m.id
)
UPDATE dcim_modulebay b SET parent_id = tree.parent, _depth = depth, _path = path, _sort = sort FROM tree WHERE tree.id = b.id;

CREATE FUNCTION dcim_adopt_module_bay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.parent_id := NULL;
    IF NEW.module_id IS NOT NULL THEN
        SELECT m.module_bay_id INTO NEW.parent_id FROM dcim_module m WHERE m.id = NEW.module_id FOR SHARE;
    END IF;
    RETURN NEW;
END $$;
-- Triggers run in the order of their names: this one before those of the tree.
CREATE TRIGGER adopt_bay BEFORE INSERT OR UPDATE OF module_id ON dcim_modulebay
    FOR EACH ROW EXECUTE FUNCTION dcim_adopt_module_bay();
CREATE TRIGGER check_module BEFORE INSERT OR UPDATE OF module_id, device_id ON dcim_modulebay
    FOR EACH ROW WHEN (NEW.module_id IS NOT NULL) EXECUTE FUNCTION dcim_check_module();
SELECT keep_tree('dcim_modulebay');

-- A module is in an enabled bay of its device. It moves to another device only without what belongs to it.
CREATE FUNCTION dcim_place_module() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bay dcim_modulebay;
    device CONSTANT TEXT := dcim_device_display(NEW.device_id);
    component TEXT;
    is_held BOOLEAN;
BEGIN
    SELECT * INTO bay FROM dcim_modulebay b WHERE b.id = NEW.module_bay_id FOR SHARE;
    -- A device or a bay that does not exist is the foreign key's to refuse.
    IF bay.device_id <> NEW.device_id AND device IS NOT NULL THEN
        RAISE EXCEPTION 'bay of another device' USING ERRCODE = 'check_violation', TABLE = 'dcim_module',
            CONSTRAINT = 'dcim_module_bay_device', COLUMN = 'module_bay_id',
            DETAIL = format('Module must be installed within a module bay belonging to the assigned device (%s).', device);
    END IF;
    IF NOT bay.enabled AND (TG_OP = 'INSERT' OR OLD.module_bay_id <> NEW.module_bay_id) THEN
        RAISE EXCEPTION 'disabled bay' USING ERRCODE = 'check_violation', TABLE = 'dcim_module',
            CONSTRAINT = 'dcim_module_bay_enabled', COLUMN = 'module_bay_id',
            DETAIL = 'Cannot install a module in a disabled module bay.';
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.device_id <> NEW.device_id THEN
        FOREACH component IN ARRAY ARRAY['dcim_consoleport', 'dcim_consoleserverport', 'dcim_frontport', 'dcim_interface',
            'dcim_modulebay', 'dcim_poweroutlet', 'dcim_powerport', 'dcim_rearport'] LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE module_id = $1)', component) INTO is_held USING NEW.id;
            IF is_held THEN
                RAISE EXCEPTION 'module with components' USING ERRCODE = 'check_violation', TABLE = 'dcim_module',
                    CONSTRAINT = 'dcim_module_components', COLUMN = 'device_id',
                    DETAIL = 'A module with components cannot be moved to a different device.';
            END IF;
        END LOOP;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_module BEFORE INSERT ON dcim_module FOR EACH ROW EXECUTE FUNCTION dcim_place_module();
CREATE TRIGGER move_module BEFORE UPDATE OF device_id, module_bay_id ON dcim_module
    FOR EACH ROW WHEN ((OLD.device_id, OLD.module_bay_id) IS DISTINCT FROM (NEW.device_id, NEW.module_bay_id))
    EXECUTE FUNCTION dcim_place_module();

-- The tree of the bays refuses a bay below itself: a module in a bay that belongs to it.
CREATE FUNCTION dcim_carry_module_bays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE dcim_modulebay SET parent_id = NEW.module_bay_id WHERE module_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER carry_bays AFTER UPDATE OF module_bay_id ON dcim_module
    FOR EACH ROW WHEN (OLD.module_bay_id <> NEW.module_bay_id) EXECUTE FUNCTION dcim_carry_module_bays();

-- Only devices of a parent type have bays for others, and only those of a child type go into them, each into one.
CREATE FUNCTION dcim_fill_device_bay() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    own dcim_devicetype;
    installed dcim_devicetype;
    elsewhere TEXT;
BEGIN
    SELECT t.* INTO own FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id
        WHERE d.id = NEW.device_id FOR SHARE OF d, t;
    IF own.id IS NOT NULL AND own.subdevice_role IS DISTINCT FROM 'parent' THEN
        RAISE EXCEPTION 'no parent device' USING ERRCODE = 'check_violation', TABLE = 'dcim_devicebay',
            CONSTRAINT = 'dcim_devicebay_parent_type', COLUMN = 'device_id',
            DETAIL = format('This type of device (%s) does not support device bays.', own.model);
    END IF;
    IF NEW.installed_device_id IS NULL OR (TG_OP = 'UPDATE' AND OLD.installed_device_id = NEW.installed_device_id) THEN
        RETURN NEW;
    END IF;
    SELECT concat(b.name, ' (' || nullif(b.label, '') || ')') INTO elsewhere
        FROM dcim_devicebay b WHERE b.installed_device_id = NEW.installed_device_id AND b.id <> NEW.id;
    IF elsewhere IS NOT NULL THEN
        RAISE EXCEPTION 'device in another bay' USING ERRCODE = 'check_violation', TABLE = 'dcim_devicebay',
            CONSTRAINT = 'dcim_devicebay_installed_elsewhere', COLUMN = 'installed_device_id',
            DETAIL = format('Cannot install the specified device; device is already installed in %s.', elsewhere);
    END IF;
    SELECT t.* INTO installed FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id
        WHERE d.id = NEW.installed_device_id FOR SHARE OF d, t;
    IF installed.id IS NOT NULL AND installed.subdevice_role IS DISTINCT FROM 'child' THEN
        RAISE EXCEPTION 'no child device' USING ERRCODE = 'check_violation', TABLE = 'dcim_devicebay',
            CONSTRAINT = 'dcim_devicebay_child_type', COLUMN = 'installed_device_id',
            DETAIL = format('This type of device (%s) cannot be installed in a device bay.', installed.model);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fill_bay BEFORE INSERT OR UPDATE OF device_id, installed_device_id ON dcim_devicebay
    FOR EACH ROW EXECUTE FUNCTION dcim_fill_device_bay();

-- The tree of the inventory and the component that an item belongs to are of the item's device. An item that moves to
-- another device, which it may without items below it, leaves its component behind.
CREATE FUNCTION dcim_place_inventory() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    above BIGINT;
    of_component BIGINT;
    is_moved CONSTANT BOOLEAN := TG_OP = 'UPDATE' AND OLD.device_id <> NEW.device_id;
BEGIN
    SELECT i.device_id INTO above FROM dcim_inventoryitem i WHERE i.id = NEW.parent_id FOR SHARE;
    IF above <> NEW.device_id THEN
        RAISE EXCEPTION 'parent of another device' USING ERRCODE = 'check_violation', TABLE = 'dcim_inventoryitem',
            CONSTRAINT = 'dcim_inventoryitem_parent_device', COLUMN = 'parent_id',
            DETAIL = 'Parent inventory item does not belong to the same device.';
    END IF;
    IF is_moved AND EXISTS (SELECT FROM dcim_inventoryitem i WHERE i.parent_id = NEW.id) THEN
        RAISE EXCEPTION 'items below' USING ERRCODE = 'check_violation', TABLE = 'dcim_inventoryitem',
            CONSTRAINT = 'dcim_inventoryitem_children', DETAIL = 'Cannot move an inventory item with dependent children';
    END IF;
    IF NEW.component_type IS NULL THEN
        RETURN NEW;
    END IF;
    EXECUTE format('SELECT device_id FROM %I WHERE id = $1', replace(NEW.component_type, '.', '_'))
        INTO of_component USING NEW.component_id;
    IF of_component IS NOT DISTINCT FROM NEW.device_id THEN
        RETURN NEW;
    END IF;
    IF is_moved AND (OLD.component_type, OLD.component_id) IS NOT DISTINCT FROM (NEW.component_type, NEW.component_id) THEN
        NEW.component_type := NULL;
        NEW.component_id := NULL;
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'component of another device' USING ERRCODE = 'check_violation', TABLE = 'dcim_inventoryitem',
        CONSTRAINT = 'dcim_inventoryitem_component_device', COLUMN = 'component_id',
        DETAIL = 'Cannot assign inventory item to component on another device';
END $$;
CREATE TRIGGER check_inventory BEFORE INSERT ON dcim_inventoryitem
    FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL OR NEW.component_type IS NOT NULL) EXECUTE FUNCTION dcim_place_inventory();
CREATE TRIGGER move_inventory BEFORE UPDATE OF device_id, parent_id, component_type, component_id ON dcim_inventoryitem
    FOR EACH ROW WHEN ((OLD.device_id, OLD.parent_id, OLD.component_type, OLD.component_id)
        IS DISTINCT FROM (NEW.device_id, NEW.parent_id, NEW.component_type, NEW.component_id))
    EXECUTE FUNCTION dcim_place_inventory();
