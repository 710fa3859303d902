-- Groups, and permissions on objects (contract 1.3).

CREATE TABLE users_group (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(150) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX users_group_name_key ON users_group (name);
SELECT keep_row_count('users_group', 'users.group');

CREATE TABLE users_objectpermission (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    enabled BOOLEAN NOT NULL DEFAULT true,
    object_types TEXT[] NOT NULL DEFAULT '{}',
    actions TEXT[] NOT NULL DEFAULT '{}',
    -- Null, an object whose lookups must all hold, or a list of such of which one must.
    constraints JSONB
);
CREATE INDEX users_objectpermission_name_id_idx ON users_objectpermission (name, id);
SELECT keep_row_count('users_objectpermission', 'users.objectpermission');

CREATE TABLE users_user_groups (
    user_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL,
    CONSTRAINT users_user_groups_pkey PRIMARY KEY (user_id, group_id),
    CONSTRAINT users_user_groups_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT users_user_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES users_group (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX users_user_groups_group_id_idx ON users_user_groups (group_id);

CREATE TABLE users_user_object_permissions (
    user_id BIGINT NOT NULL,
    objectpermission_id BIGINT NOT NULL,
    CONSTRAINT users_user_object_permissions_pkey PRIMARY KEY (user_id, objectpermission_id),
    CONSTRAINT users_user_object_permissions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT users_user_object_permissions_objectpermission_id_fkey FOREIGN KEY (objectpermission_id) REFERENCES users_objectpermission (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX users_user_object_permissions_objectpermission_id_idx ON users_user_object_permissions (objectpermission_id);

CREATE TABLE users_group_object_permissions (
    group_id BIGINT NOT NULL,
    objectpermission_id BIGINT NOT NULL,
    CONSTRAINT users_group_object_permissions_pkey PRIMARY KEY (group_id, objectpermission_id),
    CONSTRAINT users_group_object_permissions_group_id_fkey FOREIGN KEY (group_id) REFERENCES users_group (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT users_group_object_permissions_objectpermission_id_fkey FOREIGN KEY (objectpermission_id) REFERENCES users_objectpermission (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX users_group_object_permissions_objectpermission_id_idx ON users_group_object_permissions (objectpermission_id);
