-- Cables and their ends: what a cable may connect, and what the ends know of it (contract 3.3).

-- How many connectors a side of a cable with that profile has, and how many positions each; null without a profile.
CREATE FUNCTION dcim_cable_side(profile TEXT, side TEXT, OUT connectors INTEGER, OUT positions INTEGER)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (CASE side WHEN 'A' THEN p[1] ELSE coalesce(p[3], p[1]) END)::integer,
        (CASE side WHEN 'A' THEN p[2] ELSE coalesce(p[4], p[2]) END)::integer
    FROM regexp_match(profile, '^[a-z]+-(\d+)c(\d+)p(?:-(\d+)c(\d+)p)?') AS p
$$;

CREATE FUNCTION dcim_cable_profile_name(profile TEXT) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT concat(upper(p[2]), ':' || upper(p[3]), ' ' || nullif(p[1], 'single'), ' (' || p[4] || ')')
    FROM regexp_match(profile, '^([a-z]+)-(\d+c\d+p)(?:-(\d+c\d+p))?(?:-([a-z]+))?$') AS p
$$;

-- What the other side of a cable may be.
CREATE FUNCTION dcim_compatible_ends(type TEXT) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE type
        WHEN 'circuits.circuittermination' THEN ARRAY['circuits.circuittermination', 'dcim.interface', 'dcim.frontport', 'dcim.rearport']
        WHEN 'dcim.consoleport' THEN ARRAY['dcim.consoleserverport', 'dcim.frontport', 'dcim.rearport']
        WHEN 'dcim.consoleserverport' THEN ARRAY['dcim.consoleport', 'dcim.frontport', 'dcim.rearport']
        WHEN 'dcim.interface' THEN ARRAY['circuits.circuittermination', 'dcim.interface', 'dcim.frontport', 'dcim.rearport']
        WHEN 'dcim.powerfeed' THEN ARRAY['dcim.powerport']
        WHEN 'dcim.poweroutlet' THEN ARRAY['dcim.powerport']
        WHEN 'dcim.powerport' THEN ARRAY['dcim.poweroutlet', 'dcim.powerfeed']
        ELSE ARRAY['circuits.circuittermination', 'dcim.consoleport', 'dcim.consoleserverport', 'dcim.interface', 'dcim.frontport', 'dcim.rearport']
    END
$$;

CREATE FUNCTION dcim_refuse_cable(rule TEXT, said TEXT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the cable cannot connect these' USING ERRCODE = 'check_violation', TABLE = 'dcim_cable',
        CONSTRAINT = 'dcim_cable_' || rule, DETAIL = said;
END $$;

-- What a device is called (the same as in the API).
CREATE FUNCTION dcim_device_display(device BIGINT) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat(coalesce(nullif(d.name, ''),
            (SELECT concat(c.name, ':', coalesce(d.vc_position::text, 'None')) FROM dcim_virtualchassis c WHERE c.id = d.virtual_chassis_id),
            (SELECT concat(m.name, ' ', t.model) FROM dcim_devicetype t JOIN dcim_manufacturer m ON m.id = t.manufacturer_id WHERE t.id = d.device_type_id)),
        ' (' || coalesce(nullif(d.asset_tag, ''),
            CASE WHEN nullif(d.name, '') IS NULL AND d.virtual_chassis_id IS NULL THEN d.id::text END) || ')')
    FROM dcim_device d WHERE d.id = device
$$;

-- What an end is called, with what it belongs to.
CREATE FUNCTION dcim_cable_end_name(end_type TEXT, end_id BIGINT) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    called TEXT;
BEGIN
    IF end_type = 'circuits.circuittermination' THEN
        SELECT concat(c.cid, ' > ', c.cid, ': Termination ', t.term_side) INTO called
            FROM circuits_circuittermination t JOIN circuits_circuit c ON c.id = t.circuit_id WHERE t.id = end_id;
    ELSIF end_type = 'dcim.powerfeed' THEN
        SELECT concat(p.name, ' > ', f.name) INTO called
            FROM dcim_powerfeed f JOIN dcim_powerpanel p ON p.id = f.power_panel_id WHERE f.id = end_id;
    ELSE
        EXECUTE format('SELECT concat(dcim_device_display(e.device_id), '' > '', e.name, '' ('' || nullif(e.label, '''') || '')'') FROM %I e WHERE e.id = $1',
            replace(end_type, '.', '_')) INTO called USING end_id;
    END IF;
    RETURN called;
END $$;

-- An end that a cable is to have. `connectors` and `positions` are those of its side in the profile.
CREATE TYPE dcim_cable_end AS (
    cable_id BIGINT, profile TEXT, side TEXT, kind TEXT, id BIGINT, connector INTEGER, connectors INTEGER, positions INTEGER
);

-- The ends that cables are to have: for each the lists that it is given, and what it has on a side of which nothing is
-- said. Connectors are those of the profile, in the order given; those that fit a profile already are kept.
CREATE FUNCTION dcim_wanted_ends(written JSONB) RETURNS dcim_cable_end[] LANGUAGE sql STABLE AS $$
    WITH cables AS (
        SELECT c.id, c.profile, w AS lists FROM jsonb_array_elements(written) AS w JOIN dcim_cable c ON c.id = (w ->> 'id')::bigint
    ), given AS (
        SELECT c.id AS cable, c.profile, s.side, item ->> 'type' AS kind, (item ->> 'id')::bigint AS id, place, place AS connector
        FROM cables c, (VALUES ('A', 'a_terminations'), ('B', 'b_terminations')) AS s(side, name),
            jsonb_array_elements(c.lists -> s.name) WITH ORDINALITY AS list(item, place)
    ), kept AS (
        SELECT c.id AS cable, c.profile, e.cable_end AS side, e.termination_type AS kind, e.termination_id AS id,
            row_number() OVER (PARTITION BY e.cable_id, e.cable_end ORDER BY e.connector, e.id) AS place, e.connector
        FROM cables c JOIN dcim_cabletermination e ON e.cable_id = c.id AND NOT c.lists ? (lower(e.cable_end) || '_terminations')
    ), every AS (
        SELECT * FROM given
        UNION ALL
        SELECT k.cable, k.profile, k.side, k.kind, k.id, k.place, CASE WHEN fits.all_of_them THEN k.connector ELSE k.place END
        FROM kept k JOIN (
            SELECT o.cable, o.side, bool_and(o.connector <= (dcim_cable_side(o.profile, o.side)).connectors) IS TRUE AS all_of_them
            FROM kept o GROUP BY o.cable, o.side
        ) fits USING (cable, side)
    )
    SELECT coalesce(array_agg(ROW(e.cable, e.profile, e.side, e.kind, e.id, CASE WHEN e.profile IS NOT NULL THEN e.connector END,
        limits.connectors, limits.positions)::dcim_cable_end ORDER BY e.cable, e.side, e.place), '{}')
    FROM every e, dcim_cable_side(e.profile, e.side) AS limits
$$;

-- What the ends alone tell: how many, and which go together.
CREATE FUNCTION dcim_check_sides(wanted dcim_cable_end[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dcim_refuse_cable(lower(w.side) || '_terminations_limit',
            format('%s side of cable has %s terminations but only %s are permitted for profile %s',
                w.side, count(*), w.connectors, dcim_cable_profile_name(w.profile)))
        FROM unnest(wanted) AS w GROUP BY w.cable_id, w.side, w.connectors, w.profile HAVING count(*) > w.connectors;
    PERFORM dcim_refuse_cable('one_type', 'Cannot connect different termination types to same end of cable.')
        FROM unnest(wanted) AS w GROUP BY w.cable_id, w.side HAVING count(DISTINCT w.kind) > 1;
    PERFORM dcim_refuse_cable('compatible',
            format('Incompatible termination types: %s and %s', split_part(a.kind, '.', 2), split_part(b.kind, '.', 2)))
        FROM unnest(wanted) AS a JOIN unnest(wanted) AS b ON b.cable_id = a.cable_id AND b.side = 'B'
        WHERE a.side = 'A' AND b.kind <> ALL (dcim_compatible_ends(a.kind));
    PERFORM dcim_refuse_cable('two_sides', 'A and B terminations cannot connect to the same object.')
        FROM unnest(wanted) AS a JOIN unnest(wanted) AS b ON b.cable_id = a.cable_id AND b.side = 'B' AND b.kind = a.kind AND b.id = a.id
        WHERE a.side = 'A';
END $$;

-- Locks the ends of one kind, so that of two cables to one end the second sees the first, and says whether they are
-- there and take a cable.
CREATE FUNCTION dcim_check_ends(wanted dcim_cable_end[], end_kind TEXT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found BIGINT[];
    marked BIGINT[];
BEGIN
    EXECUTE format('SELECT array_agg(id), array_agg(id) FILTER (WHERE mark_connected)
            FROM (SELECT id, mark_connected FROM %I WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE) AS locked', replace(end_kind, '.', '_'))
        INTO found, marked USING ARRAY(SELECT w.id FROM unnest(wanted) AS w WHERE w.kind = end_kind);
    PERFORM dcim_refuse_cable(lower(w.side) || '_terminations_missing', 'Related object not found using the provided numeric ID: ' || w.id)
        FROM unnest(wanted) AS w WHERE w.kind = end_kind AND w.id <> ALL (coalesce(found, '{}'));
    PERFORM dcim_refuse_cable('marked', format('Cannot connect a cable to %s because it is marked as connected.', dcim_cable_end_name(end_kind, id)))
        FROM unnest(marked) AS id;
    PERFORM dcim_refuse_cable('duplicate', format('Duplicate termination found for %s %s: cable %s', end_kind, w.id, min(coalesce(e.cable_id, w.cable_id))))
        FROM unnest(wanted) AS w LEFT JOIN dcim_cabletermination e
            ON e.termination_type = w.kind AND e.termination_id = w.id AND e.cable_id <> w.cable_id
        WHERE w.kind = end_kind GROUP BY w.id HAVING count(*) > 1 OR count(e.id) > 0;
    IF end_kind = 'dcim.interface' THEN
        PERFORM dcim_refuse_cable('wired', format('Cables cannot be terminated to %s interfaces', dcim_unwired_type(i.type)))
            FROM dcim_interface i WHERE i.id = ANY (found) AND dcim_unwired_type(i.type) IS NOT NULL;
    ELSIF end_kind = 'circuits.circuittermination' THEN
        PERFORM dcim_refuse_cable('provider_network', 'Circuit terminations attached to a provider network may not be cabled.')
            FROM circuits_circuittermination t WHERE t.id = ANY (found) AND t.termination_type = 'circuits.providernetwork';
    END IF;
END $$;

-- Gives cables their ends. `written` is a list of `{"id": …, "a_terminations": [{"type": …, "id": …}], "b_terminations": …}`.
CREATE FUNCTION dcim_connect_cables(written JSONB) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    wanted CONSTANT dcim_cable_end[] := dcim_wanted_ends(written);
    end_kind TEXT;
BEGIN
    PERFORM dcim_check_sides(wanted);
    DELETE FROM dcim_cabletermination e
        WHERE e.cable_id IN (SELECT (w ->> 'id')::bigint FROM jsonb_array_elements(written) AS w)
        AND NOT EXISTS (SELECT FROM unnest(wanted) AS w WHERE w.cable_id = e.cable_id AND w.side = e.cable_end AND w.kind = e.termination_type
            AND w.id = e.termination_id AND w.connector IS NOT DISTINCT FROM e.connector AND w.positions IS NOT DISTINCT FROM cardinality(e.positions));
    FOR end_kind IN SELECT DISTINCT w.kind FROM unnest(wanted) AS w ORDER BY 1 LOOP
        PERFORM dcim_check_ends(wanted, end_kind);
    END LOOP;
    INSERT INTO dcim_cabletermination (cable_id, cable_end, termination_type, termination_id, connector, positions)
        SELECT w.cable_id, w.side, w.kind, w.id, w.connector,
            CASE WHEN w.positions IS NOT NULL THEN ARRAY(SELECT generate_series(1, w.positions)) END
        FROM unnest(wanted) WITH ORDINALITY AS w(cable_id, profile, side, kind, id, connector, connectors, positions, place)
        WHERE NOT EXISTS (SELECT FROM dcim_cabletermination e WHERE e.termination_type = w.kind AND e.termination_id = w.id)
        ORDER BY w.place;
END $$;

-- Ends know their cable: they are told when a termination comes and when it goes.
CREATE FUNCTION dcim_attach_ends() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    end_kind TEXT;
BEGIN
    FOR end_kind IN SELECT DISTINCT termination_type FROM added ORDER BY 1 LOOP
        EXECUTE format('UPDATE %I e SET cable_id = a.cable_id, cable_end = a.cable_end, last_updated = clock_timestamp()
            FROM added a WHERE a.termination_type = $1 AND e.id = a.termination_id', replace(end_kind, '.', '_')) USING end_kind;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER attach_ends AFTER INSERT ON dcim_cabletermination REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION dcim_attach_ends();

CREATE FUNCTION dcim_detach_ends() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    end_kind TEXT;
BEGIN
    FOR end_kind IN SELECT DISTINCT termination_type FROM removed ORDER BY 1 LOOP
        EXECUTE format('UPDATE %I e SET cable_id = NULL, last_updated = clock_timestamp()
            FROM removed r WHERE r.termination_type = $1 AND e.id = r.termination_id AND e.cable_id = r.cable_id', replace(end_kind, '.', '_'))
            USING end_kind;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER detach_ends AFTER DELETE ON dcim_cabletermination REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION dcim_detach_ends();

CREATE FUNCTION dcim_forget_cable_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.cable_end := NULL;
    RETURN NEW;
END $$;
DO $$
DECLARE
    cabled TEXT;
BEGIN
    FOREACH cabled IN ARRAY ARRAY['circuits_circuittermination', 'dcim_consoleport', 'dcim_consoleserverport', 'dcim_frontport',
        'dcim_interface', 'dcim_powerfeed', 'dcim_poweroutlet', 'dcim_powerport', 'dcim_rearport'] LOOP
        EXECUTE format('CREATE TRIGGER forget_cable_end BEFORE UPDATE OF cable_id ON %I FOR EACH ROW
            WHEN (NEW.cable_id IS NULL AND NEW.cable_end IS NOT NULL) EXECUTE FUNCTION dcim_forget_cable_end()', cabled);
    END LOOP;
END $$;
