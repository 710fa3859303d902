-- The checks of the ends of many cables took quadratic time. PostgreSQL plans a statement of a function for ten ends once it
-- has run a few times, joined the ends of two sides row by row, and compared each end with each row that was found. The
-- checks now aggregate the ends, which takes linear time with any plan.

-- What the ends alone tell: how many, and which go together.
CREATE OR REPLACE FUNCTION dcim_check_sides(wanted dcim_cable_end[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM dcim_refuse_cable(lower(w.side) || '_terminations_limit',
            format('%s side of cable has %s terminations but only %s are permitted for profile %s',
                w.side, count(*), w.connectors, dcim_cable_profile_name(w.profile)))
        FROM unnest(wanted) AS w GROUP BY w.cable_id, w.side, w.connectors, w.profile HAVING count(*) > w.connectors;
    PERFORM dcim_refuse_cable(lower(w.side) || '_terminations_connector',
            format('Connector %s of side %s already has another termination.', w.connector, w.side))
        FROM unnest(wanted) AS w WHERE w.connector IS NOT NULL
        GROUP BY w.cable_id, w.side, w.connector HAVING count(DISTINCT (w.kind, w.id)) > 1;
    PERFORM dcim_refuse_cable('one_type', 'Cannot connect different termination types to same end of cable.')
        FROM unnest(wanted) AS w GROUP BY w.cable_id, w.side HAVING count(DISTINCT w.kind) > 1;
    -- Each side has ends of one type here.
    PERFORM dcim_refuse_cable('compatible',
            format('Incompatible termination types: %s and %s', split_part(c.a, '.', 2), split_part(c.b, '.', 2)))
        FROM (SELECT w.cable_id, min(w.kind) FILTER (WHERE w.side = 'A') AS a, min(w.kind) FILTER (WHERE w.side = 'B') AS b
            FROM unnest(wanted) AS w GROUP BY w.cable_id) AS c
        WHERE c.a IS NOT NULL AND c.b <> ALL (dcim_compatible_ends(c.a)) ORDER BY c.cable_id;
    PERFORM dcim_refuse_cable('two_sides', 'A and B terminations cannot connect to the same object.')
        FROM unnest(wanted) AS w GROUP BY w.cable_id, w.kind, w.id HAVING count(DISTINCT w.side) > 1;
END $$;

-- Locks the ends of one kind, so that of two cables to one end the second sees the first, and says whether they are
-- there and take a cable.
CREATE OR REPLACE FUNCTION dcim_check_ends(wanted dcim_cable_end[], end_kind TEXT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found BIGINT[];
    marked BIGINT[];
BEGIN
    EXECUTE format('SELECT array_agg(id), array_agg(id) FILTER (WHERE mark_connected)
            FROM (SELECT id, mark_connected FROM %I WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE) AS locked', replace(end_kind, '.', '_'))
        INTO found, marked USING ARRAY(SELECT w.id FROM unnest(wanted) AS w WHERE w.kind = end_kind);
    -- The first end that was not found. Those that were found have the place 0.
    PERFORM dcim_refuse_cable(lower((wanted[m.place]).side) || '_terminations_missing', 'Related object not found using the provided numeric ID: ' || m.id)
        FROM (SELECT e.id, min(e.place)::integer AS place FROM (
                SELECT w.id, w.place FROM unnest(wanted) WITH ORDINALITY
                    AS w(cable_id, profile, side, kind, id, connector, connectors, positions, place) WHERE w.kind = end_kind
                UNION ALL SELECT f.id, 0 FROM unnest(found) AS f(id)) AS e
            GROUP BY e.id HAVING min(e.place) > 0 ORDER BY 2 LIMIT 1) AS m;
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
