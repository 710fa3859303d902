type Json = Readonly<Record<string, unknown>>;

/** Returns the id of an object that another object contains in its JSON form, or null. */
const idIn = (shown: Json, field: string): unknown => Object(shown[field])['id'] ?? null;

/** Returns fields for a new object that must have the same values as in the object to which it refers. */
const same =
  (...fields: readonly string[]) =>
  (target: Json): Json =>
    Object.fromEntries(fields.map((field) => [field, idIn(target, field)]));

const device = same('device');
const deviceType = same('device_type');
const site = same('site');

const fixed = (part: Json) => (): Json => part;
/** Overrides the tags of config contexts in the fixtures, which other fixtures create. */
const untagged = fixed({ tags: [] });

/**
 * Additional fields of a new object, by `<app>.<model>.<field>`, for references where the new object and the object to
 * which it refers must share a third object.
 */
export const alignments: Readonly<Record<string, (target: Json) => Record<string, unknown>>> = {
  'circuits.circuit.provider_account': same('provider'),
  'circuits.virtualcircuit.provider_network': fixed({ provider_account: null }),
  'dcim.consoleport.module': device,
  'dcim.consoleserverport.module': device,
  'dcim.device.location': site,
  'dcim.device.rack': same('site', 'location'),
  'dcim.device.virtual_chassis': fixed({ vc_position: 1 }),
  'dcim.frontport.device': fixed({ rear_ports: [] }),
  'dcim.frontport.module': (target) => ({ ...device(target), rear_ports: [] }),
  'dcim.frontporttemplate.device_type': fixed({ rear_ports: [] }),
  'dcim.interface.module': device,
  'dcim.interface.parent': (target) => ({ ...device(target), type: 'virtual' }),
  'dcim.interface.qinq_svlan': fixed({ mode: 'q-in-q' }),
  'dcim.inventoryitem.component': device,
  'dcim.inventoryitemtemplate.component': deviceType,
  'dcim.inventoryitemtemplate.device_type': fixed({ component_type: null, component_id: null }),
  'dcim.module.module_bay': device,
  'dcim.modulebay.module': device,
  'dcim.powerfeed.power_panel': fixed({ rack: null }),
  'dcim.poweroutlet.module': device,
  'dcim.poweroutlet.power_port': device,
  'dcim.poweroutlettemplate.power_port': deviceType,
  'dcim.powerpanel.location': site,
  'dcim.powerport.module': device,
  'dcim.rack.location': site,
  'dcim.rackreservation.rack': fixed({ units: [1] }),
  'dcim.rearport.device': fixed({ front_ports: [] }),
  'dcim.rearport.module': (target) => ({ ...device(target), front_ports: [] }),
  'dcim.rearporttemplate.device_type': fixed({ front_ports: [] }),
  'extras.configcontext.cluster_groups': untagged,
  'extras.configcontext.cluster_types': untagged,
  'extras.configcontext.clusters': untagged,
  'extras.configcontext.device_types': untagged,
  'extras.configcontext.locations': untagged,
  'extras.configcontext.platforms': untagged,
  'extras.configcontext.profile': untagged,
  'extras.configcontext.regions': untagged,
  'extras.configcontext.roles': untagged,
  'extras.configcontext.site_groups': untagged,
  'extras.configcontext.sites': untagged,
  'extras.configcontext.tenant_groups': untagged,
  'extras.configcontext.tenants': untagged,
  'ipam.ipaddress.nat_inside': fixed({ address: '10.0.1.10/24' }),
  'extras.eventrule.action_object': fixed({ action_type: 'notification' }),
};
