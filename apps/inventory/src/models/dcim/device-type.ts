import { defineModel } from '../../engine/declaration/define-model.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { referencedObjectPresenceFilter } from '../../engine/filter/presence-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { imageField } from '../../engine/field-types/image.js';
import { decimalField } from '../../engine/field-types/number.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { createTemplateCountFields, createComponentTemplateFilters } from './component-template-counts.js';
import { checkWeightHasUnit, weightUnitChoices } from '../measurement-units.js';
import { airflowChoices } from './airflow-choices.js';

/** Model of a device type: a hardware model of devices, with templates of their components. */
export const deviceTypeModel = defineModel('dcim.devicetype', {
  path: 'dcim/device-types',
  objectName: 'DeviceType',
  verboseName: 'device type',
  verboseNamePlural: 'device types',
  resetOnPut: ['u_height'],
  fields: {
    ...common.identityFields,
    manufacturer: referenceField('dcim.manufacturer', { required: true }),
    default_platform: referenceField('dcim.platform', { nullable: true, onDelete: 'set_null' }),
    model: textField({ max: 100, required: true }),
    slug: common.requiredSlugField,
    part_number: textField({ max: 50 }),
    u_height: decimalField({ digits: 4, places: 1, min: 0, default: 1, label: 'position (U)' }),
    exclude_from_utilization: booleanField(),
    is_full_depth: booleanField({ default: true }),
    subdevice_role: choiceField({ parent: 'Parent', child: 'Child' }, { nullable: true, filterSingle: true }),
    airflow: choiceField(airflowChoices, { nullable: true, filterSingle: true }),
    weight: decimalField({ digits: 8, places: 2, nullable: true }),
    weight_unit: choiceField(weightUnitChoices, { nullable: true, filterSingle: true }),
    front_image: imageField({ folder: 'devicetype-images' }),
    rear_image: imageField({ folder: 'devicetype-images' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    device_count: referringObjectCountField('dcim.device', {
      via: 'device_type',
      filter: true,
      stored: true,
      metadataType: 'integer',
    }),
    ...createTemplateCountFields('device_type'),
    device_bay_template_count: referringObjectCountField('dcim.devicebaytemplate', {
      via: 'device_type',
      filter: true,
      metadataType: 'integer',
    }),
    module_bay_template_count: referringObjectCountField('dcim.modulebaytemplate', {
      via: 'device_type',
      filter: true,
      metadataType: 'integer',
    }),
    inventory_item_template_count: referringObjectCountField('dcim.inventoryitemtemplate', {
      via: 'device_type',
      filter: true,
      metadataType: 'integer',
    }),
  },
  display: (alias) => `${alias}.model`,
  brief: ['id', 'url', 'display', 'manufacturer', 'model', 'slug', 'description', 'device_count'],
  order: [{ field: 'manufacturer' }, { field: 'model' }],
  search: [
    {
      sql: (alias) => `(SELECT r.name FROM dcim_manufacturer r WHERE r.id = ${alias}.manufacturer_id)`,
      lookup: 'icontains',
    },
    { sql: (alias) => `${alias}.model`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.part_number`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.comments`, lookup: 'icontains' },
  ],
  constraints: [
    { name: 'dcim_devicetype_manufacturer_id_model_key', fields: ['manufacturer', 'model'] },
    { name: 'dcim_devicetype_manufacturer_id_slug_key', fields: ['manufacturer', 'slug'] },
    { name: 'dcim_devicetype_mounted', key: 'u_height' },
    {
      name: 'dcim_devicetype_device_bays',
      key: 'subdevice_role',
      message:
        'Must delete all device bay templates associated with this device before declassifying it as a parent device.',
    },
  ],
  rules: [
    checkWeightHasUnit,
    ({ u_height: height }) =>
      ((height ?? 0) * 2) % 1 === 0 ? null : { u_height: ['U height must be in increments of 0.5 rack units.'] },
    ({ u_height: height, subdevice_role: role }) =>
      role === 'child' && height !== 0 ? { u_height: ['Child device types must be 0U.'] } : null,
  ],
  filters: [
    booleanFilter('has_front_image', (alias) => `(${alias}.front_image <> '')`),
    booleanFilter('has_rear_image', (alias) => `(${alias}.rear_image <> '')`),
    ...createComponentTemplateFilters('device_type'),
    referencedObjectPresenceFilter('device_bays', [
      resolveStepToReferringObjects('dcim.devicebaytemplate', 'device_type'),
    ]),
    referencedObjectPresenceFilter('inventory_items', [
      resolveStepToReferringObjects('dcim.inventoryitemtemplate', 'device_type'),
    ]),
  ],
});
