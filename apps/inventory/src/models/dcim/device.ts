import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { decimalField, integerField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { createConfigContextField, localContextDataField } from '../config-context-data.js';
import * as common from '../shared-model-fields.js';
import * as addresses from '../primary-address-fields.js';
import { contactFilters } from '../tenancy/contact-filters.js';
import { tenantGroupFilters } from '../tenancy/tenant.js';
import { airflowChoices } from './airflow-choices.js';
import { createDeviceNameSql } from './device-name.js';
import { deviceConstraints, deviceRules } from './device-rules.js';
import { deviceComponentCreator } from './components-from-types/component-companions.js';
import { deviceFilters } from './device-filters.js';
import { listDevicesInMovedBays, parentDeviceField } from './parent-device-field.js';

const deviceStatusChoices = {
  offline: 'Offline',
  active: 'Active',
  planned: 'Planned',
  staged: 'Staged',
  failed: 'Failed',
  inventory: 'Inventory',
  decommissioning: 'Decommissioning',
};

/** Model of a device: a piece of equipment, such as a switch, a server or a power strip. */
export const deviceModel = defineModel('dcim.device', {
  path: 'dcim/devices',
  objectName: 'Device',
  verboseName: 'device',
  verboseNamePlural: 'devices',
  // A virtual chassis shows its master.
  rereadAfterUpdateFields: ['virtual_chassis'],
  // A device in a bay shows the device of the bay.
  showEachOther: (ids) =>
    `EXISTS (SELECT FROM dcim_devicebay WHERE installed_device_id = ANY (${ids}) AND device_id = ANY (${ids}))`,
  resetOnPut: ['tenant', 'location', 'rack', 'position', 'face', 'virtual_chassis', 'vc_position', 'config_template'],
  fields: {
    ...common.identityFields,
    name: textField({ max: 64, nullable: true }),
    device_type: referenceField('dcim.devicetype', { required: true, isIndexedWithId: true }),
    role: referenceField('dcim.devicerole', { required: true, isIndexedWithId: true }),
    tenant: referenceField('tenancy.tenant', { nullable: true, hasManyRows: true }),
    platform: referenceField('dcim.platform', { nullable: true, onDelete: 'set_null', isIndexedWithId: true }),
    serial: textField({ max: 50, label: 'serial number' }),
    asset_tag: textField({ max: 50, nullable: true, blankAsNull: true }),
    site: referenceField('dcim.site', { required: true, hasManyRows: true }),
    location: referenceField('dcim.location', { nullable: true, hasManyRows: true }),
    rack: referenceField('dcim.rack', { nullable: true, filterBy: null, hasManyRows: true }),
    position: decimalField({ digits: 4, places: 1, nullable: true, min: 0.5, label: 'position (U)' }),
    face: choiceField({ front: 'Front', rear: 'Rear' }, { nullable: true, filterSingle: true }),
    latitude: decimalField({ digits: 8, places: 6, nullable: true, min: -90, max: 90 }),
    longitude: decimalField({ digits: 9, places: 6, nullable: true, min: -180, max: 180 }),
    parent_device: parentDeviceField,
    status: choiceField(deviceStatusChoices, { default: 'active' }),
    airflow: choiceField(airflowChoices, { nullable: true, filterSingle: true }),
    primary_ip: addresses.primaryIpField,
    primary_ip4: addresses.primaryAddressReferenceField,
    primary_ip6: addresses.primaryAddressReferenceField,
    oob_ip: addresses.primaryAddressReferenceField,
    cluster: referenceField('virtualization.cluster', {
      nullable: true,
      onDelete: 'set_null',
      filterBy: null,
      hasManyRows: true,
    }),
    virtual_chassis: referenceField('dcim.virtualchassis', {
      nullable: true,
      onDelete: 'set_null',
      emptiedToo: ['vc_position', 'vc_priority'],
      filterBy: null,
    }),
    vc_position: integerField({ nullable: true, min: 0, max: 255 }),
    vc_priority: integerField({ nullable: true, min: 0, max: 255, label: 'VC priority' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    config_template: referenceField('extras.configtemplate', { nullable: true, filterBy: null }),
    config_context: createConfigContextField({ location: 'location_id', deviceType: 'device_type_id' }),
    local_context_data: localContextDataField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    console_port_count: referringObjectCountField('dcim.consoleport', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    console_server_port_count: referringObjectCountField('dcim.consoleserverport', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    power_port_count: referringObjectCountField('dcim.powerport', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    power_outlet_count: referringObjectCountField('dcim.poweroutlet', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    interface_count: referringObjectCountField('dcim.interface', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    front_port_count: referringObjectCountField('dcim.frontport', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    rear_port_count: referringObjectCountField('dcim.rearport', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    device_bay_count: referringObjectCountField('dcim.devicebay', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    module_bay_count: referringObjectCountField('dcim.modulebay', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
    inventory_item_count: referringObjectCountField('dcim.inventoryitem', {
      via: 'device',
      filter: true,
      metadataType: 'integer',
    }),
  },
  display: createDeviceNameSql,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }, { field: 'id' }],
  search: [
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
    {
      refersTo: (alias, pattern) =>
        `${alias}.virtual_chassis_id = ANY (ARRAY(SELECT c.id FROM dcim_virtualchassis c WHERE c.name ILIKE ${pattern}))`,
      lookup: 'related',
    },
    { sql: (alias) => `${alias}.serial`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.asset_tag`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.comments`, lookup: 'icontains' },
    addresses.primaryAddressSearchTerm,
  ],
  constraints: [
    { name: 'dcim_device_asset_tag_key', fields: ['asset_tag'] },
    { name: 'dcim_device_primary_ip4_id_key', fields: ['primary_ip4'] },
    { name: 'dcim_device_primary_ip6_id_key', fields: ['primary_ip6'] },
    { name: 'dcim_device_oob_ip_id_key', fields: ['oob_ip'] },
    {
      name: 'dcim_device_unique_name_site_tenant',
      key: '__all__',
      message: 'Constraint “dcim_device_unique_name_site_tenant” is violated.',
    },
    { name: 'dcim_device_rack_id_position_face_key', fields: ['rack', 'position', 'face'] },
    {
      name: 'dcim_device_virtual_chassis_id_vc_position_key',
      fields: ['virtual_chassis', 'vc_position'],
      message: 'Device with this Virtual chassis and VC position already exists.',
    },
    { name: 'dcim_device_unique_name_site', key: '__all__', message: 'Device name must be unique per site.' },
    ...deviceConstraints,
  ],
  rules: deviceRules,
  hooks: { companions: deviceComponentCreator, triggerSideEffects: listDevicesInMovedBays },
  filters: [...tenantGroupFilters, ...contactFilters, ...deviceFilters],
});
