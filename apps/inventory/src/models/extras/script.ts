import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { createConstantJsonFragment as fixed } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';

const { id, url, display_url, display } = common.identityFields;

/**
 * Creates a field of a script that is always null. The value of such a field could be found only by reading the
 * script's code.
 */
const createAlwaysNullField = (type: string) =>
  computedField({ json: () => [fixed('null')], schema: { type: [type, 'null'] }, nullable: true });

const emptyScriptVariablesField = computedField({
  json: () => [fixed('{}')],
  schema: { type: 'object', additionalProperties: true },
});

/**
 * Model of a script. This service neither reads nor runs scripts. Therefore the fields that describe the code of a
 * script are empty.
 */
export const scriptModel = defineModel('extras.script', {
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
    module: referenceField('extras.scriptmodule', { readOnly: true, onDelete: 'cascade', filterBy: null, bare: true }),
    name: textField({ max: 79, readOnly: true }),
    description: createAlwaysNullField('string'),
    vars: emptyScriptVariablesField,
    result: createAlwaysNullField('object'),
    display,
    is_executable: booleanField({ default: true, readOnly: true }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  nested: ['id', 'url', 'name', 'description', 'display'],
  order: [{ field: 'module' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name'),
  constraints: [{ name: 'extras_script_name_module_id_key', fields: ['name', 'module'] }],
});
