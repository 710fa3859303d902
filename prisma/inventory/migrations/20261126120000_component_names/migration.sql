-- The name, label or position of a component, from that of its template (docs/contract/inventory.md 3.3):
-- `{vc_position}` is the position of the device in its virtual chassis; without one it is what stands behind the colon in
-- `{vc_position:X}`, or 0.
CREATE FUNCTION dcim_component_text(template TEXT, vc_position INTEGER) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN strpos(template, '{vc_position') = 0 THEN template
    WHEN vc_position IS NOT NULL THEN regexp_replace(template, '\{vc_position(:[^}]*)?\}', vc_position::text, 'g')
    ELSE replace(regexp_replace(template, '\{vc_position:([^}]*)\}', '\1', 'g'), '{vc_position}', '0')
END;
