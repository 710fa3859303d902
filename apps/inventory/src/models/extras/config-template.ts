import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { environmentParametersField } from './check-environment-parameters.js';
import { createDataFileCopyHook, syncedFileColumnTypes } from './content-of-synced-files.js';
import * as synced from './data-file-fields.js';

/** Model of a config template, which renders the configuration of devices and virtual machines. */
export const configTemplateModel = defineModel('extras.configtemplate', {
  path: 'extras/config-templates',
  objectName: 'ConfigTemplate',
  verboseName: 'config template',
  verboseNamePlural: 'config templates',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    environment_params: environmentParametersField,
    template_code: textField({ required: true }),
    mime_type: textField({ max: 50, label: 'MIME type' }),
    file_name: textField({ max: 200 }),
    file_extension: textField({ max: 15 }),
    as_attachment: booleanField({ default: true }),
    debug: booleanField(),
    data_source: synced.syncedDataSourceField,
    data_path: synced.syncedDataPathField,
    data_file: synced.syncedDataFileField,
    auto_sync_enabled: booleanField(),
    data_synced: synced.syncedTimeField,
    owner: common.ownerField,
    tags: common.objectTagsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  hiddenColumns: syncedFileColumnTypes,
  hooks: { fill: createDataFileCopyHook({ field: 'template_code' }) },
});
