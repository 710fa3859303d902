-- Locations, racks and what they are of.

CREATE TABLE dcim_manufacturer (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_manufacturer_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_manufacturer_name_key ON dcim_manufacturer (name);
CREATE UNIQUE INDEX dcim_manufacturer_slug_key ON dcim_manufacturer (slug);
CREATE INDEX dcim_manufacturer_owner_id_idx ON dcim_manufacturer (owner_id);
SELECT keep_row_count('dcim_manufacturer', 'dcim.manufacturer');

CREATE TABLE dcim_location (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    site_id BIGINT NOT NULL,
    parent_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    tenant_id BIGINT,
    facility VARCHAR(50) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT dcim_location_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_location_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_location (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_location_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_location_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_location_site_id_parent_id_name_key ON dcim_location (site_id, parent_id, name);
CREATE UNIQUE INDEX dcim_location_site_id_parent_id_slug_key ON dcim_location (site_id, parent_id, slug);
CREATE UNIQUE INDEX dcim_location_name ON dcim_location (site_id, name) WHERE parent_id IS NULL;
CREATE UNIQUE INDEX dcim_location_slug ON dcim_location (site_id, slug) WHERE parent_id IS NULL;
CREATE INDEX dcim_location_parent_id_idx ON dcim_location (parent_id);
CREATE INDEX dcim_location_tenant_id_idx ON dcim_location (tenant_id);
CREATE INDEX dcim_location_owner_id_idx ON dcim_location (owner_id);
CREATE INDEX dcim_location_slug_idx ON dcim_location (slug);
CREATE INDEX dcim_location__path_idx ON dcim_location USING gin (_path);
CREATE INDEX dcim_location__sort_id_idx ON dcim_location (_sort, id);
SELECT keep_row_count('dcim_location', 'dcim.location'), keep_tree('dcim_location');

CREATE TABLE dcim_rackgroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_rackgroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_rackgroup_name_key ON dcim_rackgroup (name);
CREATE UNIQUE INDEX dcim_rackgroup_slug_key ON dcim_rackgroup (slug);
CREATE INDEX dcim_rackgroup_owner_id_idx ON dcim_rackgroup (owner_id);
SELECT keep_row_count('dcim_rackgroup', 'dcim.rackgroup');

CREATE TABLE dcim_rackrole (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '9e9e9e',
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_rackrole_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_rackrole_name_key ON dcim_rackrole (name);
CREATE UNIQUE INDEX dcim_rackrole_slug_key ON dcim_rackrole (slug);
CREATE INDEX dcim_rackrole_owner_id_idx ON dcim_rackrole (owner_id);
SELECT keep_row_count('dcim_rackrole', 'dcim.rackrole');

CREATE TABLE dcim_racktype (
    id BIGSERIAL PRIMARY KEY,
    manufacturer_id BIGINT NOT NULL,
    model VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    form_factor VARCHAR(50) NOT NULL,
    width SMALLINT NOT NULL DEFAULT 19,
    u_height SMALLINT NOT NULL DEFAULT 42,
    starting_unit SMALLINT NOT NULL DEFAULT 1,
    desc_units BOOLEAN NOT NULL DEFAULT false,
    outer_width SMALLINT,
    outer_height SMALLINT,
    outer_depth SMALLINT,
    outer_unit VARCHAR(50),
    weight DECIMAL(8, 2),
    max_weight INTEGER,
    weight_unit VARCHAR(50),
    mounting_depth SMALLINT,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_racktype_u_height_check CHECK (u_height BETWEEN 1 AND 100),
    CONSTRAINT dcim_racktype_starting_unit_check CHECK (starting_unit >= 1),
    CONSTRAINT dcim_racktype_manufacturer_id_fkey FOREIGN KEY (manufacturer_id) REFERENCES dcim_manufacturer (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_racktype_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_racktype_slug_key ON dcim_racktype (slug);
CREATE UNIQUE INDEX dcim_racktype_manufacturer_id_model_key ON dcim_racktype (manufacturer_id, model);
CREATE UNIQUE INDEX dcim_racktype_manufacturer_id_slug_key ON dcim_racktype (manufacturer_id, slug);
CREATE INDEX dcim_racktype_owner_id_idx ON dcim_racktype (owner_id);
SELECT keep_row_count('dcim_racktype', 'dcim.racktype');

CREATE TABLE dcim_rack (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    facility_id VARCHAR(50),
    site_id BIGINT NOT NULL,
    location_id BIGINT,
    group_id BIGINT,
    tenant_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    role_id BIGINT,
    serial VARCHAR(50) NOT NULL DEFAULT '',
    asset_tag VARCHAR(50),
    rack_type_id BIGINT,
    form_factor VARCHAR(50),
    width SMALLINT NOT NULL DEFAULT 19,
    u_height SMALLINT NOT NULL DEFAULT 42,
    starting_unit SMALLINT NOT NULL DEFAULT 1,
    weight DECIMAL(8, 2),
    max_weight INTEGER,
    weight_unit VARCHAR(50),
    desc_units BOOLEAN NOT NULL DEFAULT false,
    outer_width SMALLINT,
    outer_height SMALLINT,
    outer_depth SMALLINT,
    outer_unit VARCHAR(50),
    mounting_depth SMALLINT,
    airflow VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_rack_u_height_check CHECK (u_height BETWEEN 1 AND 100),
    CONSTRAINT dcim_rack_starting_unit_check CHECK (starting_unit >= 1),
    CONSTRAINT dcim_rack_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_rack_location_id_fkey FOREIGN KEY (location_id) REFERENCES dcim_location (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_rack_group_id_fkey FOREIGN KEY (group_id) REFERENCES dcim_rackgroup (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_rack_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_rack_role_id_fkey FOREIGN KEY (role_id) REFERENCES dcim_rackrole (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_rack_rack_type_id_fkey FOREIGN KEY (rack_type_id) REFERENCES dcim_racktype (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_rack_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_rack_asset_tag_key ON dcim_rack (asset_tag);
CREATE UNIQUE INDEX dcim_rack_location_id_name_key ON dcim_rack (location_id, name);
CREATE UNIQUE INDEX dcim_rack_location_id_facility_id_key ON dcim_rack (location_id, facility_id);
CREATE INDEX dcim_rack_site_id_location_id_name_id_idx ON dcim_rack (site_id, location_id, name, id);
CREATE INDEX dcim_rack_group_id_idx ON dcim_rack (group_id);
CREATE INDEX dcim_rack_tenant_id_idx ON dcim_rack (tenant_id);
CREATE INDEX dcim_rack_role_id_idx ON dcim_rack (role_id);
CREATE INDEX dcim_rack_rack_type_id_idx ON dcim_rack (rack_type_id);
CREATE INDEX dcim_rack_owner_id_idx ON dcim_rack (owner_id);
CREATE INDEX dcim_rack_serial_idx ON dcim_rack (lower(serial));
SELECT keep_row_count('dcim_rack', 'dcim.rack');

CREATE TABLE dcim_rackreservation (
    id BIGSERIAL PRIMARY KEY,
    rack_id BIGINT NOT NULL,
    units INTEGER[] NOT NULL,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    user_id BIGINT NOT NULL,
    tenant_id BIGINT,
    description VARCHAR(200) NOT NULL,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_rackreservation_rack_id_fkey FOREIGN KEY (rack_id) REFERENCES dcim_rack (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_rackreservation_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_rackreservation_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_rackreservation_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX dcim_rackreservation_created_id_idx ON dcim_rackreservation (created, id);
CREATE INDEX dcim_rackreservation_rack_id_idx ON dcim_rackreservation (rack_id);
CREATE INDEX dcim_rackreservation_user_id_idx ON dcim_rackreservation (user_id);
CREATE INDEX dcim_rackreservation_tenant_id_idx ON dcim_rackreservation (tenant_id);
CREATE INDEX dcim_rackreservation_owner_id_idx ON dcim_rackreservation (owner_id);
CREATE INDEX dcim_rackreservation_units_idx ON dcim_rackreservation USING gin (units);
SELECT keep_row_count('dcim_rackreservation', 'dcim.rackreservation');
