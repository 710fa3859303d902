import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/kinds/boolean.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';

const { id, url, display_url, display } = common.identity;

/** A script that people run. */
export const script = defineModel('extras.script', {
  path: 'extras/scripts',
  objectName: 'Script',
  verboseName: 'script',
  verboseNamePlural: 'scripts',
  changeLog: false,
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS', 'POST'] },
  fields: {
    id,
    url,
    display_url,
    // DRAFT field: module is shown as a bare id
    module: ref('extras.scriptmodule', { readOnly: true, onDelete: 'cascade', filterBy: null }),
    name: text({ max: 79, readOnly: true }),
    // DRAFT field: description (computed); vars (computed); result (computed, nested core.job)
    display,
    is_executable: boolean({ default: true, readOnly: true }),
  },
  display: (alias) => `${alias}.name`,
  // DRAFT brief: and description
  brief: ['id', 'url', 'display', 'name'],
  // DRAFT nested: and description
  nested: ['id', 'url', 'name', 'display'],
  order: [{ field: 'module' }, { field: 'name' }],
  search: common.searchIn('name'),
  constraints: [{ name: 'extras_script_name_module_id_key', fields: ['name', 'module'] }],
  // DRAFT rules: POST on the detail runs it (data, commit, schedule_at, interval, notifications) and needs permission run; detail accepts id or module.Class; 503 without workers
});
