-- Mapped ports are of one device, or templates of one type; each position is one that its port has. The ports are held
-- as they are until the mapping is there. Arguments are the tables of front and of rear ports.
CREATE FUNCTION dcim_map_ports() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    front JSONB;
    rear JSONB;
    apart TEXT;
    problem TEXT;
BEGIN
    EXECUTE format('SELECT to_jsonb(p) FROM %I p WHERE p.id = $1 FOR SHARE', TG_ARGV[0]) INTO front USING NEW.front_port_id;
    EXECUTE format('SELECT to_jsonb(p) FROM %I p WHERE p.id = $1 FOR SHARE', TG_ARGV[1]) INTO rear USING NEW.rear_port_id;
    SELECT owner INTO apart FROM unnest(ARRAY['device', 'device_type', 'module_type']) owner
        WHERE front -> (owner || '_id') IS DISTINCT FROM rear -> (owner || '_id') LIMIT 1;
    IF front IS NOT NULL AND rear IS NOT NULL AND apart IS NOT NULL THEN
        RAISE EXCEPTION 'ports apart' USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME,
            CONSTRAINT = TG_TABLE_NAME || '_apart', DETAIL = format('Rear port (%s) must belong to the same %s',
                (rear ->> 'name') || coalesce(' (' || nullif(rear ->> 'label', '') || ')', ''), replace(apart, '_', ' '));
    END IF;
    IF NEW.rear_port_position > (rear ->> 'positions')::integer THEN
        problem := format('Invalid rear port position (%s): Rear port %s has only %s positions.',
            NEW.rear_port_position, rear ->> 'name', rear ->> 'positions');
    ELSIF NEW.front_port_position > (front ->> 'positions')::integer THEN
        problem := format('Invalid front port position (%s): Front port %s has only %s positions.',
            NEW.front_port_position, front ->> 'name', front ->> 'positions');
    END IF;
    IF problem IS NOT NULL THEN
        RAISE EXCEPTION 'no such position' USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME,
            CONSTRAINT = TG_TABLE_NAME || '_no_position', DETAIL = problem;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER map_ports BEFORE INSERT OR UPDATE ON dcim_portmapping
    FOR EACH ROW EXECUTE FUNCTION dcim_map_ports('dcim_frontport', 'dcim_rearport');
CREATE TRIGGER map_ports BEFORE INSERT OR UPDATE ON dcim_porttemplatemapping
    FOR EACH ROW EXECUTE FUNCTION dcim_map_ports('dcim_frontporttemplate', 'dcim_rearporttemplate');

-- A port keeps the positions that are mapped. Arguments are the table of mappings, the port's column there without
-- `_id`, and what the other ports are called.
CREATE FUNCTION dcim_keep_positions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    mapped INTEGER;
    highest INTEGER;
BEGIN
    EXECUTE format('SELECT count(*), max(%I) FROM %I WHERE %I = $1', TG_ARGV[1] || '_position', TG_ARGV[0], TG_ARGV[1] || '_id')
        INTO mapped, highest USING NEW.id;
    IF NEW.positions < mapped OR NEW.positions < highest THEN
        RAISE EXCEPTION 'mapped positions' USING ERRCODE = 'check_violation', TABLE = TG_TABLE_NAME,
            CONSTRAINT = TG_TABLE_NAME || '_positions_mapped', COLUMN = 'positions', DETAIL = CASE
                WHEN NEW.positions < mapped THEN format('The number of positions cannot be less than the number of mapped %s (%s)', TG_ARGV[2], mapped)
                ELSE format('The number of positions cannot be less than the highest mapped position (%s)', highest)
            END;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_positions BEFORE UPDATE OF positions ON dcim_frontport
    FOR EACH ROW WHEN (NEW.positions < OLD.positions)
    EXECUTE FUNCTION dcim_keep_positions('dcim_portmapping', 'front_port', 'rear ports');
CREATE TRIGGER keep_positions BEFORE UPDATE OF positions ON dcim_rearport
    FOR EACH ROW WHEN (NEW.positions < OLD.positions)
    EXECUTE FUNCTION dcim_keep_positions('dcim_portmapping', 'rear_port', 'front ports');
CREATE TRIGGER keep_positions BEFORE UPDATE OF positions ON dcim_frontporttemplate
    FOR EACH ROW WHEN (NEW.positions < OLD.positions)
    EXECUTE FUNCTION dcim_keep_positions('dcim_porttemplatemapping', 'front_port', 'rear port templates');
CREATE TRIGGER keep_positions BEFORE UPDATE OF positions ON dcim_rearporttemplate
    FOR EACH ROW WHEN (NEW.positions < OLD.positions)
    EXECUTE FUNCTION dcim_keep_positions('dcim_porttemplatemapping', 'rear_port', 'front port templates');
