-- What one action sends about one object goes in order. Whether an earlier delivery is queued is asked for each change, and
-- while the table's statistics are none (its first minutes, a restore) the planner takes any index of which a column is
-- named: it went through all deliveries of the object. A column of its own has one index.
ALTER TABLE webhook_deliveries ADD COLUMN lane text GENERATED ALWAYS AS (
    CASE WHEN status = 'queued'
        THEN action_type || ' ' || action_object_id::text || ' ' || object_type || ' ' || object_id::text END
) STORED;
CREATE INDEX webhook_deliveries_lane_sequence_idx ON webhook_deliveries (lane, sequence) WHERE lane IS NOT NULL;
DROP INDEX webhook_deliveries_action_type_action_object_id_object_type_idx;
