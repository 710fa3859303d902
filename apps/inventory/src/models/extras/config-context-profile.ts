import { defineModel } from '../../engine/declaration/define-model.js';
import { jsonField } from '../../engine/field-types/json.js';
import { changeRecordAutoSync, changeRecordEmptyCustomFields } from '../change-log-members.js';
import * as common from '../shared-model-fields.js';
import { checkJsonSchema } from '../check-json-schema.js';
import { createDataFileCopyHook, syncedFileColumnTypes } from './content-of-synced-files.js';
import * as synced from './data-file-fields.js';

/** Model of a config context profile: a JSON schema for the data of config contexts of one kind. */
export const configContextProfileModel = defineModel('extras.configcontextprofile', {
  path: 'extras/config-context-profiles',
  objectName: 'ConfigContextProfile',
  verboseName: 'config context profile',
  verboseNamePlural: 'config context profiles',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    schema: jsonField({ nullable: true, check: checkJsonSchema }),
    tags: common.objectTagsField,
    owner: common.ownerField,
    comments: common.commentsField,
    data_source: synced.syncedDataSourceField,
    data_path: synced.syncedDataPathField,
    data_file: synced.syncedDataFileField,
    data_synced: synced.syncedTimeField,
    ...common.creationTimeFields,
  },
  changeLogMembers: { ...changeRecordEmptyCustomFields, ...changeRecordAutoSync },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [{ name: 'extras_configcontextprofile_name_key', fields: ['name'] }],
  filters: [synced.autoSyncFilter],
  hiddenColumns: syncedFileColumnTypes,
  hooks: { fill: createDataFileCopyHook({ field: 'schema', check: checkJsonSchema }) },
});
