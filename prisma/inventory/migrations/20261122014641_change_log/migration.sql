-- The change log (contract 4): what was changed, by whom, in which request, and how the object was before and after.

CREATE TABLE core_objectchange (
    id BIGSERIAL PRIMARY KEY,
    time TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    user_id BIGINT,
    -- Kept when the user goes.
    user_name VARCHAR(150) NOT NULL,
    request_id UUID NOT NULL,
    action VARCHAR(50) NOT NULL,
    changed_object_type VARCHAR(100) NOT NULL,
    changed_object_id BIGINT NOT NULL,
    -- What the object belongs to, for example the device of an interface.
    related_object_type VARCHAR(100),
    related_object_id BIGINT,
    object_repr VARCHAR(200) NOT NULL,
    message VARCHAR(200) NOT NULL DEFAULT '',
    prechange_data JSONB,
    postchange_data JSONB,
    CONSTRAINT core_objectchange_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX core_objectchange_time_id_idx ON core_objectchange (time DESC, id);
CREATE INDEX core_objectchange_user_id_idx ON core_objectchange (user_id);
CREATE INDEX core_objectchange_request_id_idx ON core_objectchange (request_id);
CREATE INDEX core_objectchange_changed_object_type_changed_object_id_idx ON core_objectchange (changed_object_type, changed_object_id);
CREATE INDEX core_objectchange_related_object_type_related_object_id_idx ON core_objectchange (related_object_type, related_object_id);
SELECT keep_row_count('core_objectchange', 'core.objectchange');
