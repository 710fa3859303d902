import { defineModel } from '../../engine/declaration/model.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';

const { id, display } = common.identity;

/** A file of scripts. */
export const scriptModule = defineModel('extras.scriptmodule', {
  path: 'extras/scripts/upload',
  objectName: 'ScriptModule',
  verboseName: 'script module',
  verboseNamePlural: 'script modules',
  events: false,
  methods: { list: ['OPTIONS', 'POST'], detail: ['OPTIONS', 'PATCH', 'PUT'] },
  fields: {
    id,
    display,
    file_path: text({ max: 100, readOnly: true, filterable: false }),
    // DRAFT field: file (write-only upload)
    ...common.times,
  },
  display: (alias) => `${alias}.file_path`,
  brief: ['id', 'display'],
  order: [{ sql: (alias) => `${alias}.file_root` }, { field: 'file_path' }],
  // DRAFT rules: multipart file; POST creates (201), PUT/PATCH replaces by id or file name; no GET
  // DRAFT filters: none of id, created, last_updated, created_by_request, updated_by_request, modified_by_request, which the engine adds
});
