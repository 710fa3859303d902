-- Finds whether an object was deleted, for the retention of change records.
CREATE INDEX CONCURRENTLY core_objectchange_deletions_idx ON core_objectchange (changed_object_type, changed_object_id) WHERE action = 'delete';
