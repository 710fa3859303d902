/**
 * Paths of the lists to whose objects ids belong, by the JSON key or query parameter that contains the id. If the list
 * depends on the path of the request, each path has an entry. The entry of the empty path applies to all other paths.
 */
const collections: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  manufacturer: 'dcim/manufacturers',
  region: 'dcim/regions',
  location: 'dcim/locations',
  rack: 'dcim/racks',
  rack_id: 'dcim/racks',
  rack_type: 'dcim/rack-types',
  exclude: 'dcim/devices',
  installed_device: 'dcim/devices',
  user: 'users/users',
  users: 'users/users',
  config_template: 'extras/config-templates',
  config_template_id: 'extras/config-templates',
  site: 'dcim/sites',
  device_type: 'dcim/device-types',
  device_type_id: 'dcim/device-types',
  module_type: 'dcim/module-types',
  module_type_id: 'dcim/module-types',
  device: 'dcim/devices',
  device_id: 'dcim/devices',
  module: 'dcim/modules',
  module_id: 'dcim/modules',
  module_bay: 'dcim/module-bays',
  module_bay_id: 'dcim/module-bays',
  installed_module_id: 'dcim/modules',
  virtual_chassis: 'dcim/virtual-chassis',
  profile: 'dcim/module-type-profiles',
  profile_id: 'dcim/module-type-profiles',
  role: { 'dcim/devices': 'dcim/device-roles', '': 'dcim/inventory-item-roles' },
  circuit: 'circuits/circuits',
  provider: 'circuits/providers',
  provider_network: 'circuits/provider-networks',
  virtual_circuit: 'circuits/virtual-circuits',
  type: { 'circuits/virtual-circuits': 'circuits/virtual-circuit-types', '': 'circuits/circuit-types' },
  interface: 'dcim/interfaces',
  lag: 'dcim/interfaces',
  power_panel: 'dcim/power-panels',
  power_panel_id: 'dcim/power-panels',
  powerfeed_id: 'dcim/power-feeds',
  cable_id: 'dcim/cables',
  power_port: { 'dcim/power-outlet-templates': 'dcim/power-port-templates', '': 'dcim/power-ports' },
  bridge: { 'dcim/interface-templates': 'dcim/interface-templates', '': 'dcim/interfaces' },
  rear_port: { 'dcim/front-port-templates': 'dcim/rear-port-templates', '': 'dcim/rear-ports' },
  front_port: { 'dcim/rear-port-templates': 'dcim/front-port-templates', '': 'dcim/front-ports' },
  parent: {
    'dcim/regions': 'dcim/regions',
    'dcim/inventory-item-templates': 'dcim/inventory-item-templates',
    '': 'dcim/inventory-items',
  },
  data_source: 'core/data-sources',
  data_file: 'core/data-files',
  source_id: 'core/data-sources',
  object_id: { 'core/jobs': 'core/data-sources', '': '' },
  component_id: { 'dcim/inventory-item-templates': 'dcim/interface-templates', '': 'dcim/interfaces' },
};

/**
 * Returns the list to which an id belongs, or null if the key or parameter contains no id.
 *
 * @param own list of the request's path
 */
export function collectionFor(name: string, own: string): string | null {
  const found = collections[name];
  if (found === undefined || typeof found === 'string') return found ?? null;
  return found[own] ?? found[''] ?? null;
}

/** Returns true if a field of this name contains an id, in request bodies and in change records. */
export function isId(name: string): boolean {
  return name === 'id' || name === 'cable' || name.endsWith('_id') || Object.hasOwn(collections, name);
}
