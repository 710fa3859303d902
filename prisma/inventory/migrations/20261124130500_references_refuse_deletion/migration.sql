-- Deletions follow references themselves, so that every object that goes or loses a reference has its change record and
-- event. A foreign key that cascades or sets null would do so unrecorded for a reference that the deletion has missed:
-- these refuse instead. They are deferrable because objects of two models may refer to each other.
-- NOT VALID: reading the tables would hold these locks for long. The next migration reads them under weaker ones.
ALTER TABLE circuits_circuittermination DROP CONSTRAINT circuits_circuittermination__site_id_fkey,
    ADD CONSTRAINT circuits_circuittermination__site_id_fkey FOREIGN KEY (_site_id) REFERENCES dcim_site (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_modulebay DROP CONSTRAINT dcim_modulebay_parent_id_fkey,
    ADD CONSTRAINT dcim_modulebay_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_modulebay (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_cluster DROP CONSTRAINT virtualization_cluster__site_id_fkey,
    ADD CONSTRAINT virtualization_cluster__site_id_fkey FOREIGN KEY (_site_id) REFERENCES dcim_site (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE circuits_circuitgroupassignment DROP CONSTRAINT circuits_circuitgroupassignment_group_id_fkey,
    ADD CONSTRAINT circuits_circuitgroupassignment_group_id_fkey FOREIGN KEY (group_id) REFERENCES circuits_circuitgroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE circuits_circuittermination DROP CONSTRAINT circuits_circuittermination_circuit_id_fkey,
    ADD CONSTRAINT circuits_circuittermination_circuit_id_fkey FOREIGN KEY (circuit_id) REFERENCES circuits_circuit (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE circuits_virtualcircuittermination DROP CONSTRAINT circuits_virtualcircuittermination_interface_id_fkey,
    ADD CONSTRAINT circuits_virtualcircuittermination_interface_id_fkey FOREIGN KEY (interface_id) REFERENCES dcim_interface (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE circuits_virtualcircuittermination DROP CONSTRAINT circuits_virtualcircuittermination_virtual_circuit_id_fkey,
    ADD CONSTRAINT circuits_virtualcircuittermination_virtual_circuit_id_fkey FOREIGN KEY (virtual_circuit_id) REFERENCES circuits_virtualcircuit (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE core_datafile DROP CONSTRAINT core_datafile_source_id_fkey,
    ADD CONSTRAINT core_datafile_source_id_fkey FOREIGN KEY (source_id) REFERENCES core_datasource (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_cabletermination DROP CONSTRAINT dcim_cabletermination_cable_id_fkey,
    ADD CONSTRAINT dcim_cabletermination_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleport DROP CONSTRAINT dcim_consoleport_device_id_fkey,
    ADD CONSTRAINT dcim_consoleport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleport DROP CONSTRAINT dcim_consoleport_module_id_fkey,
    ADD CONSTRAINT dcim_consoleport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleporttemplate DROP CONSTRAINT dcim_consoleporttemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_consoleporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleporttemplate DROP CONSTRAINT dcim_consoleporttemplate_module_type_id_fkey,
    ADD CONSTRAINT dcim_consoleporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleserverport DROP CONSTRAINT dcim_consoleserverport_device_id_fkey,
    ADD CONSTRAINT dcim_consoleserverport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleserverport DROP CONSTRAINT dcim_consoleserverport_module_id_fkey,
    ADD CONSTRAINT dcim_consoleserverport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleserverporttemplate DROP CONSTRAINT dcim_consoleserverporttemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_consoleserverporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleserverporttemplate DROP CONSTRAINT dcim_consoleserverporttemplate_module_type_id_fkey,
    ADD CONSTRAINT dcim_consoleserverporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_devicebay DROP CONSTRAINT dcim_devicebay_device_id_fkey,
    ADD CONSTRAINT dcim_devicebay_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_devicebaytemplate DROP CONSTRAINT dcim_devicebaytemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_devicebaytemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_devicerole DROP CONSTRAINT dcim_devicerole_parent_id_fkey,
    ADD CONSTRAINT dcim_devicerole_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_devicerole (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_frontport DROP CONSTRAINT dcim_frontport_device_id_fkey,
    ADD CONSTRAINT dcim_frontport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_frontport DROP CONSTRAINT dcim_frontport_module_id_fkey,
    ADD CONSTRAINT dcim_frontport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_frontporttemplate DROP CONSTRAINT dcim_frontporttemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_frontporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_frontporttemplate DROP CONSTRAINT dcim_frontporttemplate_module_type_id_fkey,
    ADD CONSTRAINT dcim_frontporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_device_id_fkey,
    ADD CONSTRAINT dcim_interface_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_module_id_fkey,
    ADD CONSTRAINT dcim_interface_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interfacetemplate DROP CONSTRAINT dcim_interfacetemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_interfacetemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interfacetemplate DROP CONSTRAINT dcim_interfacetemplate_module_type_id_fkey,
    ADD CONSTRAINT dcim_interfacetemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_inventoryitem DROP CONSTRAINT dcim_inventoryitem_device_id_fkey,
    ADD CONSTRAINT dcim_inventoryitem_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_inventoryitem DROP CONSTRAINT dcim_inventoryitem_parent_id_fkey,
    ADD CONSTRAINT dcim_inventoryitem_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_inventoryitem (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_inventoryitemtemplate DROP CONSTRAINT dcim_inventoryitemtemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_inventoryitemtemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_inventoryitemtemplate DROP CONSTRAINT dcim_inventoryitemtemplate_parent_id_fkey,
    ADD CONSTRAINT dcim_inventoryitemtemplate_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_inventoryitemtemplate (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_location DROP CONSTRAINT dcim_location_parent_id_fkey,
    ADD CONSTRAINT dcim_location_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_location (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_location DROP CONSTRAINT dcim_location_site_id_fkey,
    ADD CONSTRAINT dcim_location_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_module DROP CONSTRAINT dcim_module_device_id_fkey,
    ADD CONSTRAINT dcim_module_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_module DROP CONSTRAINT dcim_module_module_bay_id_fkey,
    ADD CONSTRAINT dcim_module_module_bay_id_fkey FOREIGN KEY (module_bay_id) REFERENCES dcim_modulebay (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_modulebay DROP CONSTRAINT dcim_modulebay_device_id_fkey,
    ADD CONSTRAINT dcim_modulebay_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_modulebay DROP CONSTRAINT dcim_modulebay_module_id_fkey,
    ADD CONSTRAINT dcim_modulebay_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_modulebaytemplate DROP CONSTRAINT dcim_modulebaytemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_modulebaytemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_modulebaytemplate DROP CONSTRAINT dcim_modulebaytemplate_module_type_id_fkey,
    ADD CONSTRAINT dcim_modulebaytemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_platform DROP CONSTRAINT dcim_platform_parent_id_fkey,
    ADD CONSTRAINT dcim_platform_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_platform (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_poweroutlet DROP CONSTRAINT dcim_poweroutlet_device_id_fkey,
    ADD CONSTRAINT dcim_poweroutlet_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_poweroutlet DROP CONSTRAINT dcim_poweroutlet_module_id_fkey,
    ADD CONSTRAINT dcim_poweroutlet_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_poweroutlettemplate DROP CONSTRAINT dcim_poweroutlettemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_poweroutlettemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_poweroutlettemplate DROP CONSTRAINT dcim_poweroutlettemplate_module_type_id_fkey,
    ADD CONSTRAINT dcim_poweroutlettemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_powerport DROP CONSTRAINT dcim_powerport_device_id_fkey,
    ADD CONSTRAINT dcim_powerport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_powerport DROP CONSTRAINT dcim_powerport_module_id_fkey,
    ADD CONSTRAINT dcim_powerport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_powerporttemplate DROP CONSTRAINT dcim_powerporttemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_powerporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_powerporttemplate DROP CONSTRAINT dcim_powerporttemplate_module_type_id_fkey,
    ADD CONSTRAINT dcim_powerporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_rackreservation DROP CONSTRAINT dcim_rackreservation_rack_id_fkey,
    ADD CONSTRAINT dcim_rackreservation_rack_id_fkey FOREIGN KEY (rack_id) REFERENCES dcim_rack (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_rearport DROP CONSTRAINT dcim_rearport_device_id_fkey,
    ADD CONSTRAINT dcim_rearport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_rearport DROP CONSTRAINT dcim_rearport_module_id_fkey,
    ADD CONSTRAINT dcim_rearport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_rearporttemplate DROP CONSTRAINT dcim_rearporttemplate_device_type_id_fkey,
    ADD CONSTRAINT dcim_rearporttemplate_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_rearporttemplate DROP CONSTRAINT dcim_rearporttemplate_module_type_id_fkey,
    ADD CONSTRAINT dcim_rearporttemplate_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_region DROP CONSTRAINT dcim_region_parent_id_fkey,
    ADD CONSTRAINT dcim_region_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_region (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_sitegroup DROP CONSTRAINT dcim_sitegroup_parent_id_fkey,
    ADD CONSTRAINT dcim_sitegroup_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_sitegroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_bookmark DROP CONSTRAINT extras_bookmark_user_id_fkey,
    ADD CONSTRAINT extras_bookmark_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_notification DROP CONSTRAINT extras_notification_user_id_fkey,
    ADD CONSTRAINT extras_notification_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_script DROP CONSTRAINT extras_script_module_id_fkey,
    ADD CONSTRAINT extras_script_module_id_fkey FOREIGN KEY (module_id) REFERENCES extras_scriptmodule (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_subscription DROP CONSTRAINT extras_subscription_user_id_fkey,
    ADD CONSTRAINT extras_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_taggeditem DROP CONSTRAINT extras_taggeditem_tag_id_fkey,
    ADD CONSTRAINT extras_taggeditem_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES extras_tag (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE ipam_fhrpgroupassignment DROP CONSTRAINT ipam_fhrpgroupassignment_group_id_fkey,
    ADD CONSTRAINT ipam_fhrpgroupassignment_group_id_fkey FOREIGN KEY (group_id) REFERENCES ipam_fhrpgroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE ipam_vlantranslationrule DROP CONSTRAINT ipam_vlantranslationrule_policy_id_fkey,
    ADD CONSTRAINT ipam_vlantranslationrule_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES ipam_vlantranslationpolicy (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE tenancy_contactgroup DROP CONSTRAINT tenancy_contactgroup_parent_id_fkey,
    ADD CONSTRAINT tenancy_contactgroup_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES tenancy_contactgroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE tenancy_tenantgroup DROP CONSTRAINT tenancy_tenantgroup_parent_id_fkey,
    ADD CONSTRAINT tenancy_tenantgroup_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES tenancy_tenantgroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE users_token DROP CONSTRAINT users_token_user_id_fkey,
    ADD CONSTRAINT users_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_virtualdisk DROP CONSTRAINT virtualization_virtualdisk_virtual_machine_id_fkey,
    ADD CONSTRAINT virtualization_virtualdisk_virtual_machine_id_fkey FOREIGN KEY (virtual_machine_id) REFERENCES virtualization_virtualmachine (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_vminterface DROP CONSTRAINT virtualization_vminterface_virtual_machine_id_fkey,
    ADD CONSTRAINT virtualization_vminterface_virtual_machine_id_fkey FOREIGN KEY (virtual_machine_id) REFERENCES virtualization_virtualmachine (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE vpn_l2vpntermination DROP CONSTRAINT vpn_l2vpntermination_l2vpn_id_fkey,
    ADD CONSTRAINT vpn_l2vpntermination_l2vpn_id_fkey FOREIGN KEY (l2vpn_id) REFERENCES vpn_l2vpn (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE vpn_tunneltermination DROP CONSTRAINT vpn_tunneltermination_tunnel_id_fkey,
    ADD CONSTRAINT vpn_tunneltermination_tunnel_id_fkey FOREIGN KEY (tunnel_id) REFERENCES vpn_tunnel (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE wireless_wirelesslangroup DROP CONSTRAINT wireless_wirelesslangroup_parent_id_fkey,
    ADD CONSTRAINT wireless_wirelesslangroup_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES wireless_wirelesslangroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE circuits_circuit DROP CONSTRAINT circuits_circuit_termination_a_id_fkey,
    ADD CONSTRAINT circuits_circuit_termination_a_id_fkey FOREIGN KEY (termination_a_id) REFERENCES circuits_circuittermination (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE circuits_circuit DROP CONSTRAINT circuits_circuit_termination_z_id_fkey,
    ADD CONSTRAINT circuits_circuit_termination_z_id_fkey FOREIGN KEY (termination_z_id) REFERENCES circuits_circuittermination (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE circuits_circuittermination DROP CONSTRAINT circuits_circuittermination_cable_id_fkey,
    ADD CONSTRAINT circuits_circuittermination_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE core_job DROP CONSTRAINT core_job_user_id_fkey,
    ADD CONSTRAINT core_job_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE core_objectchange DROP CONSTRAINT core_objectchange_user_id_fkey,
    ADD CONSTRAINT core_objectchange_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_cable DROP CONSTRAINT dcim_cable_bundle_id_fkey,
    ADD CONSTRAINT dcim_cable_bundle_id_fkey FOREIGN KEY (bundle_id) REFERENCES dcim_cablebundle (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleport DROP CONSTRAINT dcim_consoleport_cable_id_fkey,
    ADD CONSTRAINT dcim_consoleport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_consoleserverport DROP CONSTRAINT dcim_consoleserverport_cable_id_fkey,
    ADD CONSTRAINT dcim_consoleserverport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_device DROP CONSTRAINT dcim_device_cluster_id_fkey,
    ADD CONSTRAINT dcim_device_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES virtualization_cluster (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_device DROP CONSTRAINT dcim_device_oob_ip_id_fkey,
    ADD CONSTRAINT dcim_device_oob_ip_id_fkey FOREIGN KEY (oob_ip_id) REFERENCES ipam_ipaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_device DROP CONSTRAINT dcim_device_platform_id_fkey,
    ADD CONSTRAINT dcim_device_platform_id_fkey FOREIGN KEY (platform_id) REFERENCES dcim_platform (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_device DROP CONSTRAINT dcim_device_primary_ip4_id_fkey,
    ADD CONSTRAINT dcim_device_primary_ip4_id_fkey FOREIGN KEY (primary_ip4_id) REFERENCES ipam_ipaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_device DROP CONSTRAINT dcim_device_primary_ip6_id_fkey,
    ADD CONSTRAINT dcim_device_primary_ip6_id_fkey FOREIGN KEY (primary_ip6_id) REFERENCES ipam_ipaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_device DROP CONSTRAINT dcim_device_virtual_chassis_id_fkey,
    ADD CONSTRAINT dcim_device_virtual_chassis_id_fkey FOREIGN KEY (virtual_chassis_id) REFERENCES dcim_virtualchassis (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_devicebay DROP CONSTRAINT dcim_devicebay_installed_device_id_fkey,
    ADD CONSTRAINT dcim_devicebay_installed_device_id_fkey FOREIGN KEY (installed_device_id) REFERENCES dcim_device (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_devicetype DROP CONSTRAINT dcim_devicetype_default_platform_id_fkey,
    ADD CONSTRAINT dcim_devicetype_default_platform_id_fkey FOREIGN KEY (default_platform_id) REFERENCES dcim_platform (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_frontport DROP CONSTRAINT dcim_frontport_cable_id_fkey,
    ADD CONSTRAINT dcim_frontport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_bridge_id_fkey,
    ADD CONSTRAINT dcim_interface_bridge_id_fkey FOREIGN KEY (bridge_id) REFERENCES dcim_interface (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_cable_id_fkey,
    ADD CONSTRAINT dcim_interface_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_lag_id_fkey,
    ADD CONSTRAINT dcim_interface_lag_id_fkey FOREIGN KEY (lag_id) REFERENCES dcim_interface (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_primary_mac_address_id_fkey,
    ADD CONSTRAINT dcim_interface_primary_mac_address_id_fkey FOREIGN KEY (primary_mac_address_id) REFERENCES dcim_macaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_qinq_svlan_id_fkey,
    ADD CONSTRAINT dcim_interface_qinq_svlan_id_fkey FOREIGN KEY (qinq_svlan_id) REFERENCES ipam_vlan (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_untagged_vlan_id_fkey,
    ADD CONSTRAINT dcim_interface_untagged_vlan_id_fkey FOREIGN KEY (untagged_vlan_id) REFERENCES ipam_vlan (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_vrf_id_fkey,
    ADD CONSTRAINT dcim_interface_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interface DROP CONSTRAINT dcim_interface_wireless_link_id_fkey,
    ADD CONSTRAINT dcim_interface_wireless_link_id_fkey FOREIGN KEY (wireless_link_id) REFERENCES wireless_wirelesslink (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_interfacetemplate DROP CONSTRAINT dcim_interfacetemplate_bridge_id_fkey,
    ADD CONSTRAINT dcim_interfacetemplate_bridge_id_fkey FOREIGN KEY (bridge_id) REFERENCES dcim_interfacetemplate (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_powerfeed DROP CONSTRAINT dcim_powerfeed_cable_id_fkey,
    ADD CONSTRAINT dcim_powerfeed_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_poweroutlet DROP CONSTRAINT dcim_poweroutlet_cable_id_fkey,
    ADD CONSTRAINT dcim_poweroutlet_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_poweroutlet DROP CONSTRAINT dcim_poweroutlet_power_port_id_fkey,
    ADD CONSTRAINT dcim_poweroutlet_power_port_id_fkey FOREIGN KEY (power_port_id) REFERENCES dcim_powerport (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_poweroutlettemplate DROP CONSTRAINT dcim_poweroutlettemplate_power_port_id_fkey,
    ADD CONSTRAINT dcim_poweroutlettemplate_power_port_id_fkey FOREIGN KEY (power_port_id) REFERENCES dcim_powerporttemplate (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_powerport DROP CONSTRAINT dcim_powerport_cable_id_fkey,
    ADD CONSTRAINT dcim_powerport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_rack DROP CONSTRAINT dcim_rack_location_id_fkey,
    ADD CONSTRAINT dcim_rack_location_id_fkey FOREIGN KEY (location_id) REFERENCES dcim_location (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_rearport DROP CONSTRAINT dcim_rearport_cable_id_fkey,
    ADD CONSTRAINT dcim_rearport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_site DROP CONSTRAINT dcim_site_group_id_fkey,
    ADD CONSTRAINT dcim_site_group_id_fkey FOREIGN KEY (group_id) REFERENCES dcim_sitegroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_site DROP CONSTRAINT dcim_site_region_id_fkey,
    ADD CONSTRAINT dcim_site_region_id_fkey FOREIGN KEY (region_id) REFERENCES dcim_region (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_virtualdevicecontext DROP CONSTRAINT dcim_virtualdevicecontext_primary_ip4_id_fkey,
    ADD CONSTRAINT dcim_virtualdevicecontext_primary_ip4_id_fkey FOREIGN KEY (primary_ip4_id) REFERENCES ipam_ipaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE dcim_virtualdevicecontext DROP CONSTRAINT dcim_virtualdevicecontext_primary_ip6_id_fkey,
    ADD CONSTRAINT dcim_virtualdevicecontext_primary_ip6_id_fkey FOREIGN KEY (primary_ip6_id) REFERENCES ipam_ipaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_configcontext DROP CONSTRAINT extras_configcontext_data_file_id_fkey,
    ADD CONSTRAINT extras_configcontext_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_configcontextprofile DROP CONSTRAINT extras_configcontextprofile_data_file_id_fkey,
    ADD CONSTRAINT extras_configcontextprofile_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_configtemplate DROP CONSTRAINT extras_configtemplate_data_file_id_fkey,
    ADD CONSTRAINT extras_configtemplate_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_exporttemplate DROP CONSTRAINT extras_exporttemplate_data_file_id_fkey,
    ADD CONSTRAINT extras_exporttemplate_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_journalentry DROP CONSTRAINT extras_journalentry_created_by_id_fkey,
    ADD CONSTRAINT extras_journalentry_created_by_id_fkey FOREIGN KEY (created_by_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_savedfilter DROP CONSTRAINT extras_savedfilter_user_id_fkey,
    ADD CONSTRAINT extras_savedfilter_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE extras_tableconfig DROP CONSTRAINT extras_tableconfig_user_id_fkey,
    ADD CONSTRAINT extras_tableconfig_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE ipam_asn DROP CONSTRAINT ipam_asn_role_id_fkey,
    ADD CONSTRAINT ipam_asn_role_id_fkey FOREIGN KEY (role_id) REFERENCES ipam_role (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE ipam_ipaddress DROP CONSTRAINT ipam_ipaddress_nat_inside_id_fkey,
    ADD CONSTRAINT ipam_ipaddress_nat_inside_id_fkey FOREIGN KEY (nat_inside_id) REFERENCES ipam_ipaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE ipam_iprange DROP CONSTRAINT ipam_iprange_role_id_fkey,
    ADD CONSTRAINT ipam_iprange_role_id_fkey FOREIGN KEY (role_id) REFERENCES ipam_role (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE ipam_prefix DROP CONSTRAINT ipam_prefix_role_id_fkey,
    ADD CONSTRAINT ipam_prefix_role_id_fkey FOREIGN KEY (role_id) REFERENCES ipam_role (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE ipam_vlan DROP CONSTRAINT ipam_vlan_role_id_fkey,
    ADD CONSTRAINT ipam_vlan_role_id_fkey FOREIGN KEY (role_id) REFERENCES ipam_role (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE tenancy_tenant DROP CONSTRAINT tenancy_tenant_group_id_fkey,
    ADD CONSTRAINT tenancy_tenant_group_id_fkey FOREIGN KEY (group_id) REFERENCES tenancy_tenantgroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_virtualmachine DROP CONSTRAINT virtualization_virtualmachine_platform_id_fkey,
    ADD CONSTRAINT virtualization_virtualmachine_platform_id_fkey FOREIGN KEY (platform_id) REFERENCES dcim_platform (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_virtualmachine DROP CONSTRAINT virtualization_virtualmachine_primary_ip4_id_fkey,
    ADD CONSTRAINT virtualization_virtualmachine_primary_ip4_id_fkey FOREIGN KEY (primary_ip4_id) REFERENCES ipam_ipaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_virtualmachine DROP CONSTRAINT virtualization_virtualmachine_primary_ip6_id_fkey,
    ADD CONSTRAINT virtualization_virtualmachine_primary_ip6_id_fkey FOREIGN KEY (primary_ip6_id) REFERENCES ipam_ipaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_virtualmachinetype DROP CONSTRAINT virtualization_virtualmachinetype_default_platform_id_fkey,
    ADD CONSTRAINT virtualization_virtualmachinetype_default_platform_id_fkey FOREIGN KEY (default_platform_id) REFERENCES dcim_platform (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_vminterface DROP CONSTRAINT virtualization_vminterface_bridge_id_fkey,
    ADD CONSTRAINT virtualization_vminterface_bridge_id_fkey FOREIGN KEY (bridge_id) REFERENCES virtualization_vminterface (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_vminterface DROP CONSTRAINT virtualization_vminterface_primary_mac_address_id_fkey,
    ADD CONSTRAINT virtualization_vminterface_primary_mac_address_id_fkey FOREIGN KEY (primary_mac_address_id) REFERENCES dcim_macaddress (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_vminterface DROP CONSTRAINT virtualization_vminterface_qinq_svlan_id_fkey,
    ADD CONSTRAINT virtualization_vminterface_qinq_svlan_id_fkey FOREIGN KEY (qinq_svlan_id) REFERENCES ipam_vlan (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_vminterface DROP CONSTRAINT virtualization_vminterface_untagged_vlan_id_fkey,
    ADD CONSTRAINT virtualization_vminterface_untagged_vlan_id_fkey FOREIGN KEY (untagged_vlan_id) REFERENCES ipam_vlan (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE virtualization_vminterface DROP CONSTRAINT virtualization_vminterface_vrf_id_fkey,
    ADD CONSTRAINT virtualization_vminterface_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
ALTER TABLE wireless_wirelesslan DROP CONSTRAINT wireless_wirelesslan_group_id_fkey,
    ADD CONSTRAINT wireless_wirelesslan_group_id_fkey FOREIGN KEY (group_id) REFERENCES wireless_wirelesslangroup (id) ON DELETE NO ACTION ON UPDATE CASCADE DEFERRABLE NOT VALID;
