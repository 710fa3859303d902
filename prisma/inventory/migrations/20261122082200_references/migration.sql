-- What tables refer to that were made after them, and where config contexts apply.

ALTER TABLE dcim_virtualchassis ADD CONSTRAINT dcim_virtualchassis_master_id_fkey FOREIGN KEY (master_id) REFERENCES dcim_device (id) ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE dcim_device ADD CONSTRAINT dcim_device_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES virtualization_cluster (id) ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE dcim_modulebay ADD CONSTRAINT dcim_modulebay_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE dcim_interface ADD CONSTRAINT dcim_interface_wireless_link_id_fkey FOREIGN KEY (wireless_link_id) REFERENCES wireless_wirelesslink (id) ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE circuits_circuit ADD CONSTRAINT circuits_circuit_termination_a_id_fkey FOREIGN KEY (termination_a_id) REFERENCES circuits_circuittermination (id) ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE circuits_circuit ADD CONSTRAINT circuits_circuit_termination_z_id_fkey FOREIGN KEY (termination_z_id) REFERENCES circuits_circuittermination (id) ON DELETE SET NULL ON UPDATE CASCADE;

CREATE TABLE extras_configcontext_locations (
    configcontext_id BIGINT NOT NULL,
    location_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_locations_pkey PRIMARY KEY (configcontext_id, location_id),
    CONSTRAINT extras_configcontext_locations_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_locations_location_id_fkey FOREIGN KEY (location_id) REFERENCES dcim_location (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_locations_location_id_idx ON extras_configcontext_locations (location_id);

CREATE TABLE extras_configcontext_device_types (
    configcontext_id BIGINT NOT NULL,
    devicetype_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_device_types_pkey PRIMARY KEY (configcontext_id, devicetype_id),
    CONSTRAINT extras_configcontext_device_types_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_device_types_devicetype_id_fkey FOREIGN KEY (devicetype_id) REFERENCES dcim_devicetype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_device_types_devicetype_id_idx ON extras_configcontext_device_types (devicetype_id);

CREATE TABLE extras_configcontext_roles (
    configcontext_id BIGINT NOT NULL,
    devicerole_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_roles_pkey PRIMARY KEY (configcontext_id, devicerole_id),
    CONSTRAINT extras_configcontext_roles_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_roles_devicerole_id_fkey FOREIGN KEY (devicerole_id) REFERENCES dcim_devicerole (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_roles_devicerole_id_idx ON extras_configcontext_roles (devicerole_id);

CREATE TABLE extras_configcontext_platforms (
    configcontext_id BIGINT NOT NULL,
    platform_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_platforms_pkey PRIMARY KEY (configcontext_id, platform_id),
    CONSTRAINT extras_configcontext_platforms_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_platforms_platform_id_fkey FOREIGN KEY (platform_id) REFERENCES dcim_platform (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_platforms_platform_id_idx ON extras_configcontext_platforms (platform_id);

CREATE TABLE extras_configcontext_cluster_types (
    configcontext_id BIGINT NOT NULL,
    clustertype_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_cluster_types_pkey PRIMARY KEY (configcontext_id, clustertype_id),
    CONSTRAINT extras_configcontext_cluster_types_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_cluster_types_clustertype_id_fkey FOREIGN KEY (clustertype_id) REFERENCES virtualization_clustertype (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_cluster_types_clustertype_id_idx ON extras_configcontext_cluster_types (clustertype_id);

CREATE TABLE extras_configcontext_cluster_groups (
    configcontext_id BIGINT NOT NULL,
    clustergroup_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_cluster_groups_pkey PRIMARY KEY (configcontext_id, clustergroup_id),
    CONSTRAINT extras_configcontext_cluster_groups_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_cluster_groups_clustergroup_id_fkey FOREIGN KEY (clustergroup_id) REFERENCES virtualization_clustergroup (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_cluster_groups_clustergroup_id_idx ON extras_configcontext_cluster_groups (clustergroup_id);

CREATE TABLE extras_configcontext_clusters (
    configcontext_id BIGINT NOT NULL,
    cluster_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_clusters_pkey PRIMARY KEY (configcontext_id, cluster_id),
    CONSTRAINT extras_configcontext_clusters_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_clusters_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES virtualization_cluster (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_clusters_cluster_id_idx ON extras_configcontext_clusters (cluster_id);

CREATE TABLE dcim_interface_wireless_lans (
    interface_id BIGINT NOT NULL,
    wirelesslan_id BIGINT NOT NULL,
    CONSTRAINT dcim_interface_wireless_lans_pkey PRIMARY KEY (interface_id, wirelesslan_id),
    CONSTRAINT dcim_interface_wireless_lans_interface_id_fkey FOREIGN KEY (interface_id) REFERENCES dcim_interface (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_wireless_lans_wirelesslan_id_fkey FOREIGN KEY (wirelesslan_id) REFERENCES wireless_wirelesslan (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX dcim_interface_wireless_lans_wirelesslan_id_idx ON dcim_interface_wireless_lans (wirelesslan_id);
