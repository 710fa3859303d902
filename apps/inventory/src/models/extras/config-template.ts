import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/field-types/boolean.js';
import { text } from '../../engine/field-types/text.js';
import * as common from '../field-groups.js';
import { environmentParams } from './environment-parameters.js';
import { createFileFillHook, syncedColumns } from './synced-content.js';
import * as synced from './synced-fields.js';

/** A config template, which renders the configuration of devices and virtual machines. */
export const configTemplate = defineModel('extras.configtemplate', {
  path: 'extras/config-templates',
  objectName: 'ConfigTemplate',
  verboseName: 'config template',
  verboseNamePlural: 'config templates',
  fields: {
    ...common.identityFields,
    name: common.requiredName,
    description: common.description,
    environment_params: environmentParams,
    template_code: text({ required: true }),
    mime_type: text({ max: 50, label: 'MIME type' }),
    file_name: text({ max: 200 }),
    file_extension: text({ max: 15 }),
    as_attachment: boolean({ default: true }),
    debug: boolean(),
    data_source: synced.dataSource,
    data_path: synced.dataPath,
    data_file: synced.dataFile,
    auto_sync_enabled: boolean(),
    data_synced: synced.dataSynced,
    owner: common.owner,
    tags: common.tags,
    ...common.timeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'description'),
  hiddenColumns: syncedColumns,
  hooks: { fill: createFileFillHook({ field: 'template_code' }) },
});
