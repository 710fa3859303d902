-- Types of devices and modules, and the templates of their components.

CREATE TABLE dcim_moduletypeprofile (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    schema JSONB,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_moduletypeprofile_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_moduletypeprofile_name_key ON dcim_moduletypeprofile (name);
CREATE INDEX dcim_moduletypeprofile_owner_id_idx ON dcim_moduletypeprofile (owner_id);
SELECT keep_row_count('dcim_moduletypeprofile', 'dcim.moduletypeprofile');

CREATE TABLE dcim_devicerole (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '9e9e9e',
    vm_role BOOLEAN NOT NULL DEFAULT true,
    config_template_id BIGINT,
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
    CONSTRAINT dcim_devicerole_config_template_id_fkey FOREIGN KEY (config_template_id) REFERENCES extras_configtemplate (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_devicerole_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_devicerole (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_devicerole_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_devicerole_parent_id_name_key ON dcim_devicerole (parent_id, name);
CREATE UNIQUE INDEX dcim_devicerole_parent_id_slug_key ON dcim_devicerole (parent_id, slug);
CREATE UNIQUE INDEX dcim_devicerole_name ON dcim_devicerole (name) WHERE parent_id IS NULL;
CREATE UNIQUE INDEX dcim_devicerole_slug ON dcim_devicerole (slug) WHERE parent_id IS NULL;
CREATE INDEX dcim_devicerole_config_template_id_idx ON dcim_devicerole (config_template_id);
CREATE INDEX dcim_devicerole_owner_id_idx ON dcim_devicerole (owner_id);
CREATE INDEX dcim_devicerole_slug_idx ON dcim_devicerole (slug);
CREATE INDEX dcim_devicerole__path_idx ON dcim_devicerole USING gin (_path);
CREATE INDEX dcim_devicerole__sort_id_idx ON dcim_devicerole (_sort, id);
SELECT keep_row_count('dcim_devicerole', 'dcim.devicerole'), keep_tree('dcim_devicerole');

CREATE TABLE dcim_inventoryitemrole (
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
    CONSTRAINT dcim_inventoryitemrole_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_inventoryitemrole_name_key ON dcim_inventoryitemrole (name);
CREATE UNIQUE INDEX dcim_inventoryitemrole_slug_key ON dcim_inventoryitemrole (slug);
CREATE INDEX dcim_inventoryitemrole_owner_id_idx ON dcim_inventoryitemrole (owner_id);
SELECT keep_row_count('dcim_inventoryitemrole', 'dcim.inventoryitemrole');

CREATE TABLE dcim_platform (
    id BIGSERIAL PRIMARY KEY,
    parent_id BIGINT,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    manufacturer_id BIGINT,
    config_template_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT dcim_platform_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_platform (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_platform_manufacturer_id_fkey FOREIGN KEY (manufacturer_id) REFERENCES dcim_manufacturer (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_platform_config_template_id_fkey FOREIGN KEY (config_template_id) REFERENCES extras_configtemplate (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_platform_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_platform_manufacturer_id_name_key ON dcim_platform (manufacturer_id, name);
CREATE UNIQUE INDEX dcim_platform_manufacturer_id_slug_key ON dcim_platform (manufacturer_id, slug);
CREATE UNIQUE INDEX dcim_platform_name ON dcim_platform (name) WHERE manufacturer_id IS NULL;
CREATE UNIQUE INDEX dcim_platform_slug ON dcim_platform (slug) WHERE manufacturer_id IS NULL;
CREATE INDEX dcim_platform_parent_id_idx ON dcim_platform (parent_id);
CREATE INDEX dcim_platform_config_template_id_idx ON dcim_platform (config_template_id);
CREATE INDEX dcim_platform_owner_id_idx ON dcim_platform (owner_id);
CREATE INDEX dcim_platform_slug_idx ON dcim_platform (slug);
CREATE INDEX dcim_platform__path_idx ON dcim_platform USING gin (_path);
CREATE INDEX dcim_platform__sort_id_idx ON dcim_platform (_sort, id);
SELECT keep_row_count('dcim_platform', 'dcim.platform'), keep_tree('dcim_platform');

CREATE TABLE dcim_devicetype (
    id BIGSERIAL PRIMARY KEY,
    manufacturer_id BIGINT NOT NULL,
    default_platform_id BIGINT,
    model VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    part_number VARCHAR(50) NOT NULL DEFAULT '',
    u_height DECIMAL(4, 1) NOT NULL DEFAULT 1.0,
    exclude_from_utilization BOOLEAN NOT NULL DEFAULT false,
    is_full_depth BOOLEAN NOT NULL DEFAULT true,
    subdevice_role VARCHAR(50),
    airflow VARCHAR(50),
    weight DECIMAL(8, 2),
    weight_unit VARCHAR(50),
    front_image VARCHAR(100) NOT NULL DEFAULT '',
    rear_image VARCHAR(100) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_devicetype_u_height_check CHECK (u_height >= 0 AND mod(u_height, 0.5) = 0),
    CONSTRAINT dcim_devicetype_manufacturer_id_fkey FOREIGN KEY (manufacturer_id) REFERENCES dcim_manufacturer (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_devicetype_default_platform_id_fkey FOREIGN KEY (default_platform_id) REFERENCES dcim_platform (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_devicetype_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_devicetype_manufacturer_id_model_key ON dcim_devicetype (manufacturer_id, model);
CREATE UNIQUE INDEX dcim_devicetype_manufacturer_id_slug_key ON dcim_devicetype (manufacturer_id, slug);
CREATE INDEX dcim_devicetype_default_platform_id_idx ON dcim_devicetype (default_platform_id);
CREATE INDEX dcim_devicetype_owner_id_idx ON dcim_devicetype (owner_id);
CREATE INDEX dcim_devicetype_slug_idx ON dcim_devicetype (slug);
SELECT keep_row_count('dcim_devicetype', 'dcim.devicetype');

CREATE TABLE dcim_moduletype (
    id BIGSERIAL PRIMARY KEY,
    profile_id BIGINT,
    manufacturer_id BIGINT NOT NULL,
    model VARCHAR(100) NOT NULL,
    part_number VARCHAR(50) NOT NULL DEFAULT '',
    airflow VARCHAR(50),
    weight DECIMAL(8, 2),
    weight_unit VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    attribute_data JSONB,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_moduletype_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES dcim_moduletypeprofile (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_moduletype_manufacturer_id_fkey FOREIGN KEY (manufacturer_id) REFERENCES dcim_manufacturer (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_moduletype_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_moduletype_manufacturer_id_model_key ON dcim_moduletype (manufacturer_id, model);
CREATE INDEX dcim_moduletype_profile_id_manufacturer_id_model_idx ON dcim_moduletype (profile_id, manufacturer_id, model);
CREATE INDEX dcim_moduletype_owner_id_idx ON dcim_moduletype (owner_id);
SELECT keep_row_count('dcim_moduletype', 'dcim.moduletype');

CREATE TABLE dcim_consoleporttemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT,
    module_type_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_consoleporttemplate_parent_check CHECK (num_nonnulls(device_type_id, module_type_id) = 1),
    CONSTRAINT dcim_consoleporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_consoleporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_consoleporttemplate_device_type_id_name_key ON dcim_consoleporttemplate (device_type_id, name);
CREATE UNIQUE INDEX dcim_consoleporttemplate_module_type_id_name_key ON dcim_consoleporttemplate (module_type_id, name);
CREATE INDEX dcim_consoleporttemplate_device_type_id_module_type_id_name_idx ON dcim_consoleporttemplate (device_type_id, module_type_id, name);
SELECT keep_row_count('dcim_consoleporttemplate', 'dcim.consoleporttemplate');

CREATE TABLE dcim_consoleserverporttemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT,
    module_type_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_consoleserverporttemplate_parent_check CHECK (num_nonnulls(device_type_id, module_type_id) = 1),
    CONSTRAINT dcim_consoleserverporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_consoleserverporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_consoleserverporttemplate_device_type_id_name_key ON dcim_consoleserverporttemplate (device_type_id, name);
CREATE UNIQUE INDEX dcim_consoleserverporttemplate_module_type_id_name_key ON dcim_consoleserverporttemplate (module_type_id, name);
CREATE INDEX dcim_consoleserverporttemplate_device_type_id_module_type_i_idx ON dcim_consoleserverporttemplate (device_type_id, module_type_id, name);
SELECT keep_row_count('dcim_consoleserverporttemplate', 'dcim.consoleserverporttemplate');

CREATE TABLE dcim_powerporttemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT,
    module_type_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50),
    maximum_draw INTEGER,
    allocated_draw INTEGER,
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_powerporttemplate_maximum_draw_check CHECK (maximum_draw >= 1),
    CONSTRAINT dcim_powerporttemplate_allocated_draw_check CHECK (allocated_draw >= 1),
    CONSTRAINT dcim_powerporttemplate_parent_check CHECK (num_nonnulls(device_type_id, module_type_id) = 1),
    CONSTRAINT dcim_powerporttemplate_draw_check CHECK (allocated_draw <= maximum_draw),
    CONSTRAINT dcim_powerporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_powerporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_powerporttemplate_device_type_id_name_key ON dcim_powerporttemplate (device_type_id, name);
CREATE UNIQUE INDEX dcim_powerporttemplate_module_type_id_name_key ON dcim_powerporttemplate (module_type_id, name);
CREATE INDEX dcim_powerporttemplate_device_type_id_module_type_id_name_idx ON dcim_powerporttemplate (device_type_id, module_type_id, name);
SELECT keep_row_count('dcim_powerporttemplate', 'dcim.powerporttemplate');

CREATE TABLE dcim_poweroutlettemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT,
    module_type_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50),
    color VARCHAR(6) NOT NULL DEFAULT '',
    power_port_id BIGINT,
    feed_leg VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_poweroutlettemplate_parent_check CHECK (num_nonnulls(device_type_id, module_type_id) = 1),
    CONSTRAINT dcim_poweroutlettemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_poweroutlettemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_poweroutlettemplate_power_port_id_fkey FOREIGN KEY (power_port_id) REFERENCES dcim_powerporttemplate (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_poweroutlettemplate_device_type_id_name_key ON dcim_poweroutlettemplate (device_type_id, name);
CREATE UNIQUE INDEX dcim_poweroutlettemplate_module_type_id_name_key ON dcim_poweroutlettemplate (module_type_id, name);
CREATE INDEX dcim_poweroutlettemplate_device_type_id_module_type_id_name_idx ON dcim_poweroutlettemplate (device_type_id, module_type_id, name);
CREATE INDEX dcim_poweroutlettemplate_power_port_id_idx ON dcim_poweroutlettemplate (power_port_id);
SELECT keep_row_count('dcim_poweroutlettemplate', 'dcim.poweroutlettemplate');

CREATE TABLE dcim_interfacetemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT,
    module_type_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50) NOT NULL,
    enabled BOOLEAN NOT NULL DEFAULT true,
    mgmt_only BOOLEAN NOT NULL DEFAULT false,
    description VARCHAR(200) NOT NULL DEFAULT '',
    bridge_id BIGINT,
    poe_mode VARCHAR(50),
    poe_type VARCHAR(50),
    rf_role VARCHAR(30),
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_interfacetemplate_parent_check CHECK (num_nonnulls(device_type_id, module_type_id) = 1),
    CONSTRAINT dcim_interfacetemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_interfacetemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_interfacetemplate_bridge_id_fkey FOREIGN KEY (bridge_id) REFERENCES dcim_interfacetemplate (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_interfacetemplate_device_type_id_name_key ON dcim_interfacetemplate (device_type_id, name);
CREATE UNIQUE INDEX dcim_interfacetemplate_module_type_id_name_key ON dcim_interfacetemplate (module_type_id, name);
CREATE INDEX dcim_interfacetemplate_device_type_id_module_type_id_name_idx ON dcim_interfacetemplate (device_type_id, module_type_id, name);
CREATE INDEX dcim_interfacetemplate_bridge_id_idx ON dcim_interfacetemplate (bridge_id);
SELECT keep_row_count('dcim_interfacetemplate', 'dcim.interfacetemplate');

CREATE TABLE dcim_rearporttemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT,
    module_type_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '',
    positions SMALLINT NOT NULL DEFAULT 1,
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_rearporttemplate_positions_check CHECK (positions BETWEEN 1 AND 1024),
    CONSTRAINT dcim_rearporttemplate_parent_check CHECK (num_nonnulls(device_type_id, module_type_id) = 1),
    CONSTRAINT dcim_rearporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_rearporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_rearporttemplate_device_type_id_name_key ON dcim_rearporttemplate (device_type_id, name);
CREATE UNIQUE INDEX dcim_rearporttemplate_module_type_id_name_key ON dcim_rearporttemplate (module_type_id, name);
CREATE INDEX dcim_rearporttemplate_device_type_id_module_type_id_name_idx ON dcim_rearporttemplate (device_type_id, module_type_id, name);
SELECT keep_row_count('dcim_rearporttemplate', 'dcim.rearporttemplate');

CREATE TABLE dcim_frontporttemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT,
    module_type_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '',
    positions SMALLINT NOT NULL DEFAULT 1,
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_frontporttemplate_positions_check CHECK (positions BETWEEN 1 AND 1024),
    CONSTRAINT dcim_frontporttemplate_parent_check CHECK (num_nonnulls(device_type_id, module_type_id) = 1),
    CONSTRAINT dcim_frontporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_frontporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_frontporttemplate_device_type_id_name_key ON dcim_frontporttemplate (device_type_id, name);
CREATE UNIQUE INDEX dcim_frontporttemplate_module_type_id_name_key ON dcim_frontporttemplate (module_type_id, name);
CREATE INDEX dcim_frontporttemplate_device_type_id_module_type_id_name_idx ON dcim_frontporttemplate (device_type_id, module_type_id, name);
SELECT keep_row_count('dcim_frontporttemplate', 'dcim.frontporttemplate');

CREATE TABLE dcim_modulebaytemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT,
    module_type_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    position VARCHAR(30) NOT NULL DEFAULT '',
    enabled BOOLEAN NOT NULL DEFAULT true,
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_modulebaytemplate_parent_check CHECK (num_nonnulls(device_type_id, module_type_id) = 1),
    CONSTRAINT dcim_modulebaytemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_modulebaytemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_modulebaytemplate_device_type_id_name_key ON dcim_modulebaytemplate (device_type_id, name);
CREATE UNIQUE INDEX dcim_modulebaytemplate_module_type_id_name_key ON dcim_modulebaytemplate (module_type_id, name);
CREATE INDEX dcim_modulebaytemplate_device_type_id_module_type_id_name_idx ON dcim_modulebaytemplate (device_type_id, module_type_id, name);
SELECT keep_row_count('dcim_modulebaytemplate', 'dcim.modulebaytemplate');

CREATE TABLE dcim_devicebaytemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT NOT NULL,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    enabled BOOLEAN NOT NULL DEFAULT true,
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_devicebaytemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_devicebaytemplate_device_type_id_name_key ON dcim_devicebaytemplate (device_type_id, name);
SELECT keep_row_count('dcim_devicebaytemplate', 'dcim.devicebaytemplate');

CREATE TABLE dcim_inventoryitemtemplate (
    id BIGSERIAL PRIMARY KEY,
    device_type_id BIGINT NOT NULL,
    parent_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    role_id BIGINT,
    manufacturer_id BIGINT,
    part_id VARCHAR(50) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    component_type VARCHAR(100),
    component_id BIGINT,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT dcim_inventoryitemtemplate_component_check CHECK ((component_type IS NULL) = (component_id IS NULL)),
    CONSTRAINT dcim_inventoryitemtemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_inventoryitemtemplate_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_inventoryitemtemplate (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_inventoryitemtemplate_role_id_fkey FOREIGN KEY (role_id) REFERENCES dcim_inventoryitemrole (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_inventoryitemtemplate_manufacturer_id_fkey FOREIGN KEY (manufacturer_id) REFERENCES dcim_manufacturer (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_inventoryitemtemplate_device_type_id_parent_id_name_key ON dcim_inventoryitemtemplate (device_type_id, parent_id, name);
CREATE INDEX dcim_inventoryitemtemplate_component_type_component_id_idx ON dcim_inventoryitemtemplate (component_type, component_id);
CREATE INDEX dcim_inventoryitemtemplate_parent_id_idx ON dcim_inventoryitemtemplate (parent_id);
CREATE INDEX dcim_inventoryitemtemplate_role_id_idx ON dcim_inventoryitemtemplate (role_id);
CREATE INDEX dcim_inventoryitemtemplate_manufacturer_id_idx ON dcim_inventoryitemtemplate (manufacturer_id);
CREATE INDEX dcim_inventoryitemtemplate__path_idx ON dcim_inventoryitemtemplate USING gin (_path);
CREATE INDEX dcim_inventoryitemtemplate__sort_id_idx ON dcim_inventoryitemtemplate (_sort, id);
SELECT keep_row_count('dcim_inventoryitemtemplate', 'dcim.inventoryitemtemplate'), keep_tree('dcim_inventoryitemtemplate');

-- Which position of a front port leads to which position of a rear port.
CREATE TABLE dcim_porttemplatemapping (
    id BIGSERIAL PRIMARY KEY,
    front_port_id BIGINT NOT NULL,
    front_port_position SMALLINT NOT NULL DEFAULT 1,
    rear_port_id BIGINT NOT NULL,
    rear_port_position SMALLINT NOT NULL DEFAULT 1,
    CONSTRAINT dcim_porttemplatemapping_position_check CHECK (front_port_position BETWEEN 1 AND 1024 AND rear_port_position BETWEEN 1 AND 1024),
    CONSTRAINT dcim_porttemplatemapping_front_port_id_fkey FOREIGN KEY (front_port_id) REFERENCES dcim_frontporttemplate (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_porttemplatemapping_rear_port_id_fkey FOREIGN KEY (rear_port_id) REFERENCES dcim_rearporttemplate (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_porttemplatemapping_front_port_id_front_port_position_key ON dcim_porttemplatemapping (front_port_id, front_port_position);
CREATE UNIQUE INDEX dcim_porttemplatemapping_rear_port_id_rear_port_position_key ON dcim_porttemplatemapping (rear_port_id, rear_port_position);
