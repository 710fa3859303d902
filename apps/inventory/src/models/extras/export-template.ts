import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { objectTypeListField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import { changeRecordAutoSync } from '../change-log-members.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';
import { environmentParametersField } from './check-environment-parameters.js';
import { createDataFileCopyHook, syncedFileColumnTypes } from './content-of-synced-files.js';
import * as synced from './data-file-fields.js';

const modelsWithExportTemplates = listModelsWithFeature('export_templates');

/** Model of an export template, which renders lists of objects. */
export const exportTemplateModel = defineModel('extras.exporttemplate', {
  path: 'extras/export-templates',
  objectName: 'ExportTemplate',
  verboseName: 'export template',
  verboseNamePlural: 'export templates',
  fields: {
    ...common.identityFields,
    object_types: objectTypeListField(modelsWithExportTemplates, {
      required: true,
      label: 'object types',
      filterName: 'object_type',
    }),
    name: common.requiredNameField,
    description: common.descriptionField,
    environment_params: environmentParametersField,
    template_code: textField({ required: true }),
    mime_type: textField({ max: 50, label: 'MIME type' }),
    file_name: textField({ max: 200 }),
    file_extension: textField({ max: 15 }),
    as_attachment: booleanField({ default: true }),
    data_source: synced.syncedDataSourceField,
    data_path: synced.syncedDataPathField,
    data_file: referenceField('core.datafile', {
      nullable: true,
      readOnly: true,
      onDelete: 'set_null',
      filterBy: null,
    }),
    data_synced: synced.syncedTimeField,
    owner: common.ownerField,
    ...common.creationTimeFields,
  },
  changeLogMembers: changeRecordAutoSync,
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'file_name'),
  hiddenColumns: syncedFileColumnTypes,
  hooks: { fill: createDataFileCopyHook({ field: 'template_code' }) },
  rules: [
    ({ name }) =>
      name?.toLowerCase() === 'table'
        ? { name: [`"${name}" is a reserved name. Please choose a different name.`] }
        : null,
  ],
  filters: [
    booleanFilter('auto_sync_enabled', (alias) => `${alias}.auto_sync_enabled`),
    createModelIdFilter('object_type_id', { column: 'object_types', list: true }),
  ],
});
