-- Finds the last update of an object without its other change records, and the change records of an object.
CREATE INDEX CONCURRENTLY core_objectchange_changed_object_type_changed_object_id_id_idx ON core_objectchange (changed_object_type, changed_object_id, id);
