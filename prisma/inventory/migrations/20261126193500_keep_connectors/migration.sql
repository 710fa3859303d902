-- Terminations of a cable keep their connectors when its lists of terminations are written. New terminations get the connector
-- of their place in the list. After a change of the profile all terminations do (docs/contract/inventory.md 3.3).

-- The setting lists the cables whose profile the current transaction has changed.
CREATE FUNCTION dcim_remember_profile_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('inventory.changed_profiles', concat(current_setting('inventory.changed_profiles', true), ',', NEW.id), true);
    RETURN NULL;
END $$;
CREATE TRIGGER remember_profile_change AFTER UPDATE OF profile ON dcim_cable FOR EACH ROW
    WHEN (OLD.profile IS DISTINCT FROM NEW.profile) EXECUTE FUNCTION dcim_remember_profile_change();

CREATE OR REPLACE FUNCTION dcim_wanted_ends(written JSONB) RETURNS dcim_cable_end[] LANGUAGE sql STABLE AS $$
    WITH changed AS (
        SELECT string_to_array(current_setting('inventory.changed_profiles', true), ',') AS ids
    ), cables AS (
        SELECT c.id, c.profile, w AS lists, (c.id::text = ANY (changed.ids)) IS NOT TRUE AS keeps
        FROM changed, jsonb_array_elements(written) AS w JOIN dcim_cable c ON c.id = (w ->> 'id')::bigint
    ), listed AS (
        SELECT c.id AS cable, c.profile, c.keeps, s.side, item ->> 'type' AS kind, (item ->> 'id')::bigint AS id, place
        FROM cables c, (VALUES ('A', 'a_terminations'), ('B', 'b_terminations')) AS s(side, name),
            jsonb_array_elements(c.lists -> s.name) WITH ORDINALITY AS list(item, place)
    ), given AS (
        SELECT l.cable, l.profile, l.side, l.kind, l.id, l.place, coalesce(e.connector, l.place) AS connector
        FROM listed l LEFT JOIN dcim_cabletermination e ON l.keeps AND e.termination_type = l.kind AND e.termination_id = l.id
            AND e.cable_id = l.cable AND e.cable_end = l.side
    ), unlisted AS (
        SELECT c.id AS cable, c.profile, e.cable_end AS side, e.termination_type AS kind, e.termination_id AS id,
            row_number() OVER (PARTITION BY e.cable_id, e.cable_end ORDER BY e.connector, e.id) AS place,
            CASE WHEN c.keeps THEN e.connector END AS connector
        FROM cables c JOIN dcim_cabletermination e ON e.cable_id = c.id
            AND coalesce(jsonb_array_length(c.lists -> (lower(e.cable_end) || '_terminations')), 0) = 0
    ), every AS (
        SELECT * FROM given
        UNION ALL
        SELECT u.cable, u.profile, u.side, u.kind, u.id, u.place, coalesce(u.connector, u.place) FROM unlisted u
    )
    SELECT coalesce(array_agg(ROW(e.cable, e.profile, e.side, e.kind, e.id, CASE WHEN e.profile IS NOT NULL THEN e.connector END,
        limits.connectors, limits.positions)::dcim_cable_end ORDER BY e.cable, e.side, e.place), '{}')
    FROM every e, dcim_cable_side(e.profile, e.side) AS limits
$$;

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
    PERFORM dcim_refuse_cable('compatible',
            format('Incompatible termination types: %s and %s', split_part(a.kind, '.', 2), split_part(b.kind, '.', 2)))
        FROM unnest(wanted) AS a JOIN unnest(wanted) AS b ON b.cable_id = a.cable_id AND b.side = 'B'
        WHERE a.side = 'A' AND b.kind <> ALL (dcim_compatible_ends(a.kind));
    PERFORM dcim_refuse_cable('two_sides', 'A and B terminations cannot connect to the same object.')
        FROM unnest(wanted) AS a JOIN unnest(wanted) AS b ON b.cable_id = a.cable_id AND b.side = 'B' AND b.kind = a.kind AND b.id = a.id
        WHERE a.side = 'A';
END $$;
