-- Contacts, their groups and roles, and what they are assigned to.

CREATE TABLE tenancy_contactgroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    parent_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT tenancy_contactgroup_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES tenancy_contactgroup (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT tenancy_contactgroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX tenancy_contactgroup_parent_id_name_key ON tenancy_contactgroup (parent_id, name);
CREATE INDEX tenancy_contactgroup_owner_id_idx ON tenancy_contactgroup (owner_id);
CREATE INDEX tenancy_contactgroup_slug_idx ON tenancy_contactgroup (slug);
CREATE INDEX tenancy_contactgroup__path_idx ON tenancy_contactgroup USING gin (_path);
CREATE INDEX tenancy_contactgroup__sort_id_idx ON tenancy_contactgroup (_sort, id);
SELECT keep_row_count('tenancy_contactgroup', 'tenancy.contactgroup'), keep_tree('tenancy_contactgroup');

CREATE TABLE tenancy_contactrole (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT tenancy_contactrole_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX tenancy_contactrole_name_key ON tenancy_contactrole (name);
CREATE UNIQUE INDEX tenancy_contactrole_slug_key ON tenancy_contactrole (slug);
CREATE INDEX tenancy_contactrole_owner_id_idx ON tenancy_contactrole (owner_id);
SELECT keep_row_count('tenancy_contactrole', 'tenancy.contactrole');

CREATE TABLE tenancy_contact (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    title VARCHAR(100) NOT NULL DEFAULT '',
    phone VARCHAR(50) NOT NULL DEFAULT '',
    email VARCHAR(254) NOT NULL DEFAULT '',
    address VARCHAR(200) NOT NULL DEFAULT '',
    link VARCHAR(200) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT tenancy_contact_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX tenancy_contact_name_idx ON tenancy_contact (name);
CREATE INDEX tenancy_contact_owner_id_idx ON tenancy_contact (owner_id);
SELECT keep_row_count('tenancy_contact', 'tenancy.contact');

CREATE TABLE tenancy_contactassignment (
    id BIGSERIAL PRIMARY KEY,
    object_type VARCHAR(100) NOT NULL,
    object_id BIGINT NOT NULL,
    contact_id BIGINT NOT NULL,
    role_id BIGINT NOT NULL,
    priority VARCHAR(50),
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT tenancy_contactassignment_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES tenancy_contact (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT tenancy_contactassignment_role_id_fkey FOREIGN KEY (role_id) REFERENCES tenancy_contactrole (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX tenancy_contactassignment_object_type_object_id_contact_id__key ON tenancy_contactassignment (object_type, object_id, contact_id, role_id);
CREATE INDEX tenancy_contactassignment_contact_id_priority_role_id_id_idx ON tenancy_contactassignment (contact_id, priority, role_id, id);
CREATE INDEX tenancy_contactassignment_role_id_idx ON tenancy_contactassignment (role_id);
SELECT keep_row_count('tenancy_contactassignment', 'tenancy.contactassignment');

CREATE TABLE tenancy_contact_groups (
    contact_id BIGINT NOT NULL,
    contactgroup_id BIGINT NOT NULL,
    CONSTRAINT tenancy_contact_groups_pkey PRIMARY KEY (contact_id, contactgroup_id),
    CONSTRAINT tenancy_contact_groups_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES tenancy_contact (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT tenancy_contact_groups_contactgroup_id_fkey FOREIGN KEY (contactgroup_id) REFERENCES tenancy_contactgroup (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX tenancy_contact_groups_contactgroup_id_idx ON tenancy_contact_groups (contactgroup_id);
