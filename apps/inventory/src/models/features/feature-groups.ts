import { eventRuleActions } from '../../destinations/kinds.js';
import { featuresOfMainModels, featuresOfModelsWithPages, type ModelFeature } from './model-feature.js';

interface ModelFeatureGroup {
  readonly features: readonly ModelFeature[];
  /** Names of the models in a group, by the name of their app. Spaces separate the model names of an app. */
  readonly models: Readonly<Record<string, string>>;
}

/**
 * Groups of models that have the same features. Each model is in exactly one group, except models of event actions,
 * which declare their features in `destinations/`.
 */
const modelFeatureGroups: readonly ModelFeatureGroup[] = [
  {
    features: featuresOfMainModels,
    models: {
      circuits: 'circuitgroup circuittype providernetwork virtualcircuittype',
      dcim: `cable cablebundle consoleport consoleserverport devicebay devicerole frontport interface inventoryitem
        inventoryitemrole macaddress module modulebay moduletypeprofile platform powerfeed poweroutlet powerport
        rackgroup rackreservation rackrole rearport virtualchassis virtualdevicecontext`,
      ipam: 'asnrange fhrpgroup rir role routetarget servicetemplate vlan vlangroup vrf',
      tenancy: 'contact contactgroup contactrole tenantgroup',
      virtualization: 'clustertype virtualdisk vminterface',
      vpn: 'ikepolicy ikeproposal ipsecpolicy ipsecprofile ipsecproposal l2vpntermination',
      wireless: 'wirelesslan wirelesslangroup wirelesslink',
    },
  },
  {
    features: [...featuresOfMainModels, 'contacts'],
    models: {
      circuits: 'provider provideraccount virtualcircuit',
      dcim: 'manufacturer region sitegroup',
      ipam: 'aggregate asn ipaddress iprange prefix service',
      tenancy: 'tenant',
      virtualization: 'cluster clustergroup',
      vpn: 'l2vpn tunnel tunnelgroup',
    },
  },
  {
    features: [...featuresOfMainModels, 'contacts', 'image_attachments'],
    models: {
      circuits: 'circuit',
      dcim: 'device location powerpanel rack site',
      virtualization: 'virtualmachine',
    },
  },
  {
    features: ['cloning', 'export_templates'],
    models: { extras: 'customfield customfieldchoiceset customlink savedfilter tag' },
  },
  {
    features: [...featuresOfMainModels, 'image_attachments'],
    models: {
      dcim: 'devicetype moduletype racktype',
      virtualization: 'virtualmachinetype',
    },
  },
  {
    features: ['custom_links', 'export_templates', 'tags'],
    models: {
      circuits: 'circuittermination virtualcircuittermination',
      extras: 'journalentry',
    },
  },
  {
    features: ['export_templates', 'tags'],
    models: {
      extras: 'eventrule',
      tenancy: 'contactassignment',
    },
  },
  {
    features: [...featuresOfMainModels, 'custom_fields'],
    models: { ipam: 'vlantranslationpolicy vlantranslationrule' },
  },
  {
    features: featuresOfModelsWithPages,
    models: { users: 'owner ownergroup' },
  },
  {
    features: ['cloning'],
    models: {
      extras: 'tableconfig',
      users: 'objectpermission',
    },
  },
  {
    features: [...featuresOfMainModels, 'jobs'],
    models: { core: 'datasource' },
  },
  {
    features: [...featuresOfMainModels, 'custom_fields', 'synced_data'],
    models: { extras: 'configcontextprofile' },
  },
  {
    features: ['cloning', 'custom_links', 'synced_data'],
    models: { extras: 'configcontext' },
  },
  {
    features: ['cloning', 'export_templates', 'synced_data'],
    models: { extras: 'exporttemplate' },
  },
  {
    features: ['custom_links', 'export_templates', 'synced_data', 'tags'],
    models: { extras: 'configtemplate' },
  },
  {
    features: ['custom_links', 'tags'],
    models: { vpn: 'tunneltermination' },
  },
  {
    features: ['custom_fields', 'export_templates', 'tags'],
    models: { circuits: 'circuitgroupassignment' },
  },
  {
    features: ['jobs', 'synced_data'],
    models: { extras: 'scriptmodule' },
  },
];

const featuresByModel = new Map<string, readonly ModelFeature[]>([
  ...eventRuleActions.map(({ model, features }) => [model.type, features] as const),
  ...modelFeatureGroups.flatMap(({ features, models }) =>
    Object.entries(models).flatMap(([app, names]) =>
      names.split(/\s+/).map((name) => [`${app}.${name}`, features] as const),
    ),
  ),
]);

/** Returns the models that have a given feature, as `<app>.<model>`, in alphabetical order. */
export function listModelsWithFeature(feature: ModelFeature): readonly string[] {
  return [...featuresByModel]
    .filter(([, features]) => features.includes(feature))
    .map(([type]) => type)
    .toSorted();
}

/**
 * Returns the features of the group that contains a model (`<app>.<model>`). Returns an empty list if no group contains
 * the model.
 */
export function listGroupFeaturesOfModel(type: string): readonly ModelFeature[] {
  return featuresByModel.get(type) ?? [];
}
