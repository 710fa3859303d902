-- The number of a model, by which change records name it; null for a model without one.
CREATE FUNCTION object_type_id(type text) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT id FROM core_objecttype WHERE app_label = split_part(type, '.', 1) AND model = split_part(type, '.', 2)
$$;
