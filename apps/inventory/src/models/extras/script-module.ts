import { defineModel } from '../../engine/declaration/define-model.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

const { id, display } = common.identityFields;

/**
 * Model of a script module: a file that contains scripts. The model exists only so that other objects can refer to it.
 * Files cannot be uploaded, because this service does not run scripts.
 */
export const scriptModuleModel = defineModel('extras.scriptmodule', {
  path: 'extras/scripts/upload',
  objectName: 'ScriptModule',
  verboseName: 'script module',
  verboseNamePlural: 'script modules',
  events: false,
  methods: { list: [], detail: [] },
  fields: {
    id,
    display,
    file_path: textField({ max: 100, readOnly: true, filterable: false }),
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.file_path`,
  brief: ['id', 'display'],
  order: [{ sql: (alias) => `${alias}.file_root` }, { field: 'file_path' }],
});
