-- Finds the cable paths that lead over several objects at once.
CREATE INDEX CONCURRENTLY dcim_cablepathnode_several ON dcim_cablepathnode (path_id) WHERE place > 0 AND NOT is_origin;
