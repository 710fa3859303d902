-- What locations, racks and their reservations must have in common with what stands around them.
--
-- Checks run after the row is written: whatever else the same statement changes has its new place by then.

-- Locations ----------------------------------------------------------------------------------------------

CREATE FUNCTION dcim_check_location() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong TEXT;
BEGIN
    SELECT format('Parent location (%s) must belong to the same site (%s).', parent.name, site.name) INTO wrong
        FROM dcim_location parent, dcim_site site
        WHERE parent.id = NEW.parent_id AND site.id = NEW.site_id AND parent.site_id <> NEW.site_id
        FOR KEY SHARE OF parent;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'location and parent in different sites' USING ERRCODE = 'check_violation', TABLE = 'dcim_location',
            CONSTRAINT = 'dcim_location_parent_site', DETAIL = wrong;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_location AFTER INSERT ON dcim_location
    FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL) EXECUTE FUNCTION dcim_check_location();
CREATE TRIGGER check_moved_location AFTER UPDATE OF site_id, parent_id ON dcim_location FOR EACH ROW
    WHEN (NEW.parent_id IS NOT NULL AND (OLD.site_id, OLD.parent_id) IS DISTINCT FROM (NEW.site_id, NEW.parent_id))
    EXECUTE FUNCTION dcim_check_location();

-- What is in a location goes with it to another site: what is below it, racks, devices and power panels (contract 3.2).
CREATE FUNCTION dcim_move_location() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE dcim_location SET site_id = NEW.site_id WHERE parent_id = NEW.id AND site_id <> NEW.site_id;
    UPDATE dcim_rack SET site_id = NEW.site_id WHERE location_id = NEW.id AND site_id <> NEW.site_id;
    UPDATE dcim_device SET site_id = NEW.site_id WHERE location_id = NEW.id AND site_id <> NEW.site_id;
    UPDATE dcim_powerpanel SET site_id = NEW.site_id WHERE location_id = NEW.id AND site_id <> NEW.site_id;
    RETURN NULL;
END $$;
CREATE TRIGGER move_location AFTER UPDATE OF site_id ON dcim_location FOR EACH ROW
    WHEN (OLD.site_id IS DISTINCT FROM NEW.site_id) EXECUTE FUNCTION dcim_move_location();

-- Racks ------------------------------------------------------------------------------------------------

-- A rack of a type measures what its type does. A unit says nothing where nothing is measured.
CREATE FUNCTION dcim_measure_rack() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_type dcim_racktype;
BEGIN
    IF NEW.rack_type_id IS NOT NULL THEN
        SELECT * INTO of_type FROM dcim_racktype t WHERE t.id = NEW.rack_type_id FOR SHARE;
        -- A type that does not exist is the foreign key's to refuse.
        IF FOUND THEN
            NEW.form_factor := of_type.form_factor;
            NEW.width := of_type.width;
            NEW.u_height := of_type.u_height;
            NEW.starting_unit := of_type.starting_unit;
            NEW.desc_units := of_type.desc_units;
            NEW.outer_width := of_type.outer_width;
            NEW.outer_height := of_type.outer_height;
            NEW.outer_depth := of_type.outer_depth;
            NEW.outer_unit := of_type.outer_unit;
            NEW.mounting_depth := of_type.mounting_depth;
            NEW.weight := of_type.weight;
            NEW.max_weight := of_type.max_weight;
            NEW.weight_unit := of_type.weight_unit;
        END IF;
    END IF;
    IF greatest(NEW.outer_width, NEW.outer_height, NEW.outer_depth, 0) = 0 THEN
        NEW.outer_unit := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER measure_rack BEFORE INSERT OR UPDATE ON dcim_rack FOR EACH ROW
    WHEN (NEW.rack_type_id IS NOT NULL OR NEW.outer_unit IS NOT NULL) EXECUTE FUNCTION dcim_measure_rack();

CREATE FUNCTION dcim_measure_rack_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.outer_unit := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER measure_rack_type BEFORE INSERT OR UPDATE ON dcim_racktype FOR EACH ROW
    WHEN (NEW.outer_unit IS NOT NULL AND greatest(NEW.outer_width, NEW.outer_height, NEW.outer_depth, 0) = 0)
    EXECUTE FUNCTION dcim_measure_rack_type();

CREATE FUNCTION dcim_measure_racks_of_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE dcim_rack SET last_updated = clock_timestamp() WHERE rack_type_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER measure_racks_of_type AFTER UPDATE ON dcim_racktype FOR EACH ROW
    WHEN ((OLD.form_factor, OLD.width, OLD.u_height, OLD.starting_unit, OLD.desc_units, OLD.outer_width, OLD.outer_height,
            OLD.outer_depth, OLD.outer_unit, OLD.mounting_depth, OLD.weight, OLD.max_weight, OLD.weight_unit)
        IS DISTINCT FROM
          (NEW.form_factor, NEW.width, NEW.u_height, NEW.starting_unit, NEW.desc_units, NEW.outer_width, NEW.outer_height,
            NEW.outer_depth, NEW.outer_unit, NEW.mounting_depth, NEW.weight, NEW.max_weight, NEW.weight_unit))
    EXECUTE FUNCTION dcim_measure_racks_of_type();

CREATE FUNCTION dcim_check_rack_place() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong TEXT;
BEGIN
    SELECT format('Assigned location must belong to parent site (%s).', site.name) INTO wrong
        FROM dcim_location place, dcim_site site
        WHERE place.id = NEW.location_id AND site.id = NEW.site_id AND place.site_id <> NEW.site_id
        FOR KEY SHARE OF place;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'rack and location in different sites' USING ERRCODE = 'check_violation', TABLE = 'dcim_rack',
            CONSTRAINT = 'dcim_rack_location_site', DETAIL = wrong;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_place AFTER INSERT ON dcim_rack
    FOR EACH ROW WHEN (NEW.location_id IS NOT NULL) EXECUTE FUNCTION dcim_check_rack_place();
CREATE TRIGGER check_moved_place AFTER UPDATE OF site_id, location_id ON dcim_rack FOR EACH ROW
    WHEN (NEW.location_id IS NOT NULL AND (OLD.site_id, OLD.location_id) IS DISTINCT FROM (NEW.site_id, NEW.location_id))
    EXECUTE FUNCTION dcim_check_rack_place();

-- Devices stand where their rack stands.
CREATE FUNCTION dcim_move_rack() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE dcim_device SET site_id = NEW.site_id, location_id = NEW.location_id
        WHERE rack_id = NEW.id AND (site_id, location_id) IS DISTINCT FROM (NEW.site_id, NEW.location_id);
    RETURN NULL;
END $$;
CREATE TRIGGER move_rack AFTER UPDATE OF site_id, location_id ON dcim_rack FOR EACH ROW
    WHEN ((OLD.site_id, OLD.location_id) IS DISTINCT FROM (NEW.site_id, NEW.location_id)) EXECUTE FUNCTION dcim_move_rack();

-- The units of a rack reach as far as its devices do, also where it has them from its type.
CREATE FUNCTION dcim_check_rack_units() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    lowest NUMERIC;
    needed NUMERIC;
    from_type TEXT := CASE WHEN NEW.rack_type_id IS NULL THEN '' ELSE '_type' END;
BEGIN
    SELECT min(d.position), max(d.position + t.u_height) - NEW.starting_unit INTO lowest, needed
        FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id
        WHERE d.rack_id = NEW.id AND d.position IS NOT NULL;
    IF needed > NEW.u_height THEN
        RAISE EXCEPTION 'rack too low for its devices' USING ERRCODE = 'check_violation', TABLE = 'dcim_rack',
            CONSTRAINT = format('dcim_rack%s_u_height', from_type),
            DETAIL = format('Rack must be at least %sU tall to house currently installed devices.', needed);
    END IF;
    IF NEW.starting_unit > lowest THEN
        RAISE EXCEPTION 'rack begins above a device' USING ERRCODE = 'check_violation', TABLE = 'dcim_rack',
            CONSTRAINT = format('dcim_rack%s_starting_unit', from_type),
            DETAIL = format('Rack unit numbering must begin at %s or less to house currently installed devices.', lowest);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_units AFTER UPDATE ON dcim_rack FOR EACH ROW
    WHEN ((OLD.u_height, OLD.starting_unit) IS DISTINCT FROM (NEW.u_height, NEW.starting_unit))
    EXECUTE FUNCTION dcim_check_rack_units();

-- Whether a device could stand at a position: inside the rack, and on no other one. `side` is null for devices that
-- take up both faces; `self` is the device that does not stand in its own way.
CREATE FUNCTION dcim_has_room(of_rack BIGINT, at NUMERIC, height NUMERIC, side TEXT, self BIGINT) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT at >= r.starting_unit AND at + height <= r.starting_unit + r.u_height AND NOT EXISTS (
        SELECT FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id
        WHERE d.rack_id = of_rack AND d.id IS DISTINCT FROM self AND (side IS NULL OR t.is_full_depth OR d.face = side)
            AND d.position < at + height AND at < d.position + t.u_height
    ) FROM dcim_rack r WHERE r.id = of_rack
$$;

-- Reservations -----------------------------------------------------------------------------------------

CREATE FUNCTION dcim_place_reservation() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_rack dcim_rack;
    wrong TEXT;
BEGIN
    -- Reservations of one rack wait for each other.
    SELECT * INTO of_rack FROM dcim_rack r WHERE r.id = NEW.rack_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NEW;
    END IF;
    SELECT format('Invalid unit(s) for %sU rack: %s', of_rack.u_height, string_agg(unit::text, ', ' ORDER BY n)) INTO wrong
        FROM unnest(NEW.units) WITH ORDINALITY AS wanted(unit, n)
        WHERE unit < of_rack.starting_unit OR unit >= of_rack.starting_unit + of_rack.u_height
        HAVING count(*) > 0;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'units outside the rack' USING ERRCODE = 'check_violation', TABLE = 'dcim_rackreservation',
            CONSTRAINT = 'dcim_rackreservation_units_of_rack', DETAIL = wrong;
    END IF;
    SELECT format('The following units have already been reserved: %s', string_agg(unit::text, ', ' ORDER BY n)) INTO wrong
        FROM unnest(NEW.units) WITH ORDINALITY AS wanted(unit, n)
        WHERE EXISTS (
            SELECT FROM dcim_rackreservation o WHERE o.rack_id = NEW.rack_id AND o.id <> NEW.id AND unit = ANY (o.units)
        )
        HAVING count(*) > 0;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'units reserved by others' USING ERRCODE = 'check_violation', TABLE = 'dcim_rackreservation',
            CONSTRAINT = 'dcim_rackreservation_units_free', DETAIL = wrong;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_reservation BEFORE INSERT ON dcim_rackreservation
    FOR EACH ROW EXECUTE FUNCTION dcim_place_reservation();
CREATE TRIGGER move_reservation BEFORE UPDATE OF rack_id, units ON dcim_rackreservation FOR EACH ROW
    WHEN ((OLD.rack_id, OLD.units) IS DISTINCT FROM (NEW.rack_id, NEW.units)) EXECUTE FUNCTION dcim_place_reservation();

-- Types of devices -------------------------------------------------------------------------------------

CREATE FUNCTION dcim_check_device_type_height() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong TEXT;
BEGIN
    IF NEW.u_height > OLD.u_height THEN
        SELECT format('Device %s in rack %s does not have sufficient space to accommodate a height of %sU',
                coalesce(d.name, m.name || ' ' || NEW.model || ' (' || d.id || ')'), r.name, NEW.u_height) INTO wrong
            FROM dcim_device d JOIN dcim_rack r ON r.id = d.rack_id JOIN dcim_manufacturer m ON m.id = NEW.manufacturer_id
            WHERE d.device_type_id = NEW.id AND d.position IS NOT NULL
                AND NOT dcim_has_room(d.rack_id, d.position, NEW.u_height, CASE WHEN NEW.is_full_depth THEN NULL ELSE d.face END, d.id)
            ORDER BY d.name, d.id LIMIT 1;
    ELSIF NEW.u_height = 0 THEN
        SELECT format('Unable to set 0U height: Found %s instances already mounted within racks.', count(*)) INTO wrong
            FROM dcim_device d WHERE d.device_type_id = NEW.id AND d.position IS NOT NULL HAVING count(*) > 0;
    END IF;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'height does not fit the devices of the type' USING ERRCODE = 'check_violation', TABLE = 'dcim_devicetype',
            CONSTRAINT = 'dcim_devicetype_mounted', DETAIL = wrong;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_height AFTER UPDATE OF u_height ON dcim_devicetype FOR EACH ROW
    WHEN (OLD.u_height IS DISTINCT FROM NEW.u_height) EXECUTE FUNCTION dcim_check_device_type_height();

CREATE FUNCTION dcim_check_subdevice_role() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM dcim_devicebaytemplate b WHERE b.device_type_id = NEW.id) THEN
        RAISE EXCEPTION 'device bays of a type that is no parent' USING ERRCODE = 'check_violation', TABLE = 'dcim_devicetype',
            CONSTRAINT = 'dcim_devicetype_device_bays';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_subdevice_role AFTER UPDATE OF subdevice_role ON dcim_devicetype FOR EACH ROW
    WHEN (OLD.subdevice_role = 'parent' AND NEW.subdevice_role IS DISTINCT FROM 'parent')
    EXECUTE FUNCTION dcim_check_subdevice_role();

-- Attributes are those that a profile describes.
CREATE FUNCTION dcim_clear_attributes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM dcim_moduletypeprofile p WHERE p.id = NEW.profile_id AND p.schema NOT IN ('null', '{}')) THEN
        NEW.attribute_data := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER clear_attributes BEFORE INSERT OR UPDATE OF profile_id, attribute_data ON dcim_moduletype
    FOR EACH ROW WHEN (NEW.attribute_data IS NOT NULL) EXECUTE FUNCTION dcim_clear_attributes();

-- Power ------------------------------------------------------------------------------------------------

CREATE FUNCTION dcim_check_power_panel() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong TEXT;
BEGIN
    SELECT format('Location %s (%s) is in a different site than %s', place.name, other.name, own.name) INTO wrong
        FROM dcim_location place JOIN dcim_site other ON other.id = place.site_id, dcim_site own
        WHERE place.id = NEW.location_id AND own.id = NEW.site_id AND other.id <> own.id
        FOR KEY SHARE OF place;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'panel and location in different sites' USING ERRCODE = 'check_violation', TABLE = 'dcim_powerpanel',
            CONSTRAINT = 'dcim_powerpanel_location_site', DETAIL = wrong;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_panel AFTER INSERT ON dcim_powerpanel
    FOR EACH ROW WHEN (NEW.location_id IS NOT NULL) EXECUTE FUNCTION dcim_check_power_panel();
CREATE TRIGGER check_moved_panel AFTER UPDATE OF site_id, location_id ON dcim_powerpanel FOR EACH ROW
    WHEN (NEW.location_id IS NOT NULL AND (OLD.site_id, OLD.location_id) IS DISTINCT FROM (NEW.site_id, NEW.location_id))
    EXECUTE FUNCTION dcim_check_power_panel();

CREATE FUNCTION dcim_check_power_feed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong TEXT;
BEGIN
    SELECT format('Rack %s (%s) and power panel %s (%s) are in different sites',
            r.name || coalesce(' (' || nullif(r.facility_id, '') || ')', ''), rack_site.name, p.name, panel_site.name) INTO wrong
        FROM dcim_rack r JOIN dcim_site rack_site ON rack_site.id = r.site_id,
            dcim_powerpanel p JOIN dcim_site panel_site ON panel_site.id = p.site_id
        WHERE r.id = NEW.rack_id AND p.id = NEW.power_panel_id AND rack_site.id <> panel_site.id;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'rack and panel in different sites' USING ERRCODE = 'check_violation', TABLE = 'dcim_powerfeed',
            CONSTRAINT = 'dcim_powerfeed_rack_site', DETAIL = wrong;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_feed AFTER INSERT ON dcim_powerfeed
    FOR EACH ROW WHEN (NEW.rack_id IS NOT NULL) EXECUTE FUNCTION dcim_check_power_feed();
CREATE TRIGGER check_moved_feed AFTER UPDATE OF rack_id, power_panel_id ON dcim_powerfeed FOR EACH ROW
    WHEN (NEW.rack_id IS NOT NULL AND (OLD.rack_id, OLD.power_panel_id) IS DISTINCT FROM (NEW.rack_id, NEW.power_panel_id))
    EXECUTE FUNCTION dcim_check_power_feed();
