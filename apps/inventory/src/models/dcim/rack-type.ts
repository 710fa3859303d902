import { defineModel } from '../../engine/declaration/define-model.js';
import { referringObjectCountField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import * as frame from './rack-fields.js';

/** Model of a rack type: a hardware model of racks, which determines the dimensions of racks of this type. */
export const rackTypeModel = defineModel('dcim.racktype', {
  path: 'dcim/rack-types',
  objectName: 'RackType',
  verboseName: 'rack type',
  verboseNamePlural: 'rack types',
  fields: {
    ...common.identityFields,
    manufacturer: referenceField('dcim.manufacturer', { required: true }),
    model: textField({ max: 100, required: true }),
    slug: common.requiredSlugField,
    description: common.descriptionField,
    form_factor: frame.rackFormFactorField,
    ...frame.rackSizeFields,
    desc_units: frame.descendingRackUnitsField,
    ...frame.rackOuterDimensionFields,
    ...frame.rackWeightFields,
    mounting_depth: frame.rackMountingDepthField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    rack_count: referringObjectCountField('dcim.rack', {
      via: 'rack_type',
      filter: true,
      stored: true,
      metadataType: 'integer',
    }),
  },
  display: (alias) => `${alias}.model`,
  brief: ['id', 'url', 'display', 'manufacturer', 'model', 'slug', 'description', 'rack_count'],
  order: [{ field: 'manufacturer' }, { field: 'model' }],
  search: common.createFieldSearchTerms('model', 'description', 'comments'),
  constraints: [
    { name: 'dcim_racktype_slug_key', fields: ['slug'] },
    { name: 'dcim_racktype_manufacturer_id_model_key', fields: ['manufacturer', 'model'] },
    { name: 'dcim_racktype_manufacturer_id_slug_key', fields: ['manufacturer', 'slug'] },
    // Violated if the change conflicts with racks of the type.
    { name: 'dcim_rack_type_u_height', key: 'u_height' },
    { name: 'dcim_rack_type_starting_unit', key: 'starting_unit' },
  ],
  rules: [
    ({ form_factor: form }) => (form ? null : { form_factor: ['This field cannot be blank.'] }),
    frame.checkRackMeasureUnits,
  ],
});
