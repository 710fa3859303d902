-- The name, label or position of a component, from that of its template (docs/contract/inventory.md 3.3): `{module}` once
-- is the position of the module's bay; several times, they are the positions of the bays around the module, from the
-- outermost on. `bay_positions` is null for components of devices, which keep the placeholder.
CREATE FUNCTION dcim_component_positions(template TEXT, bay_positions TEXT[]) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN cardinality(string_to_array(template, '{module}')) = 2
        THEN replace(template, '{module}', bay_positions[cardinality(bay_positions)])
    ELSE (SELECT string_agg(part || coalesce(bay_positions[n], ''), '' ORDER BY n)
        FROM unnest(string_to_array(template, '{module}')) WITH ORDINALITY AS parts (part, n))
END;

CREATE FUNCTION dcim_component_text(template TEXT, vc_position INTEGER, bay_positions TEXT[]) RETURNS TEXT
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN dcim_component_text(CASE
    WHEN bay_positions IS NULL OR strpos(template, '{module}') = 0 THEN template
    ELSE dcim_component_positions(template, bay_positions)
END, vc_position);
