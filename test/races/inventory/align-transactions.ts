type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the id of the object to which a field of an object in JSON form refers. Returns null if the field refers to
 * no object.
 */
const idIn = (shown: Json, field: string): unknown => Object(shown[field])['id'] ?? null;

/**
 * Returns a function that copies the named fields from the referenced object to the new object. The two objects must
 * have equal values in the named fields.
 */
const sameFields =
  (...fields: readonly string[]) =>
  (target: Json): Json =>
    Object.fromEntries(fields.map((field) => [field, idIn(target, field)]));

const device = sameFields('device');
const deviceType = sameFields('device_type');
const site = sameFields('site');

const fixedFields = (part: Json) => (): Json => part;
/**
 * Returns an empty list of tags for config contexts. The fixtures of config contexts name tags that only other fixtures
 * create.
 */
const withoutTags = fixedFields({ tags: [] });

/**
 * Functions that return additional fields of a new object, by the name `<app>.<model>.<field>` of the object's
 * reference. The fields are needed if a rule relates the two objects, for example that both objects must belong to one
 * site.
 */
export const alignments: Readonly<Record<string, (target: Json) => Record<string, unknown>>> = {
  'circuits.circuit.provider_account': sameFields('provider'),
  'circuits.virtualcircuit.provider_network': fixedFields({ provider_account: null }),
  'dcim.consoleport.module': device,
  'dcim.consoleserverport.module': device,
  'dcim.device.location': site,
  'dcim.device.rack': sameFields('site', 'location'),
  'dcim.device.virtual_chassis': fixedFields({ vc_position: 1 }),
  'dcim.frontport.device': fixedFields({ rear_ports: [] }),
  'dcim.frontport.module': (target) => ({ ...device(target), rear_ports: [] }),
  'dcim.frontporttemplate.device_type': fixedFields({ rear_ports: [] }),
  'dcim.interface.module': device,
  'dcim.interface.parent': (target) => ({ ...device(target), type: 'virtual' }),
  'dcim.interface.qinq_svlan': fixedFields({ mode: 'q-in-q' }),
  'dcim.inventoryitem.component': device,
  'dcim.inventoryitemtemplate.component': deviceType,
  'dcim.inventoryitemtemplate.device_type': fixedFields({ component_type: null, component_id: null }),
  'dcim.module.module_bay': device,
  'dcim.modulebay.module': device,
  'dcim.powerfeed.power_panel': fixedFields({ rack: null }),
  'dcim.poweroutlet.module': device,
  'dcim.poweroutlet.power_port': device,
  'dcim.poweroutlettemplate.power_port': deviceType,
  'dcim.powerpanel.location': site,
  'dcim.powerport.module': device,
  'dcim.rack.location': site,
  'dcim.rackreservation.rack': fixedFields({ units: [1] }),
  'dcim.rearport.device': fixedFields({ front_ports: [] }),
  'dcim.rearport.module': (target) => ({ ...device(target), front_ports: [] }),
  'dcim.rearporttemplate.device_type': fixedFields({ front_ports: [] }),
  'extras.configcontext.cluster_groups': withoutTags,
  'extras.configcontext.cluster_types': withoutTags,
  'extras.configcontext.clusters': withoutTags,
  'extras.configcontext.device_types': withoutTags,
  'extras.configcontext.locations': withoutTags,
  'extras.configcontext.platforms': withoutTags,
  'extras.configcontext.profile': withoutTags,
  'extras.configcontext.regions': withoutTags,
  'extras.configcontext.roles': withoutTags,
  'extras.configcontext.site_groups': withoutTags,
  'extras.configcontext.sites': withoutTags,
  'extras.configcontext.tenant_groups': withoutTags,
  'extras.configcontext.tenants': withoutTags,
  'ipam.ipaddress.nat_inside': fixedFields({ address: '10.0.1.10/24' }),
  'extras.eventrule.action_object': fixedFields({ action_type: 'notification' }),
};
