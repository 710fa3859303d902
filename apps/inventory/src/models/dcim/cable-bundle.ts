import { defineModel } from '../../engine/declaration/model.js';
import { countOf } from '../../engine/field-types/computed-field.js';
import * as common from '../field-groups.js';

/** A bundle of cables that are laid together. */
export const cableBundle = defineModel('dcim.cablebundle', {
  path: 'dcim/cable-bundles',
  objectName: 'CableBundle',
  verboseName: 'cable bundle',
  verboseNamePlural: 'cable bundles',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    description: common.description,
    owner: common.owner,
    comments: common.comments,
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.timeFields,
    cable_count: countOf('dcim.cable', { via: 'bundle', metadataType: 'integer' }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'description', 'comments'),
  constraints: [{ name: 'dcim_cablebundle_name_key', fields: ['name'] }],
});
