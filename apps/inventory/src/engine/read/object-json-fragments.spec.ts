import { describe, expect, it } from 'vitest';
import { defineModel } from '../declaration/define-model.js';
import { idField } from '../field-types/computed-field.js';
import { jsonField } from '../field-types/json.js';
import { textField } from '../field-types/text.js';
import { listSelectedFieldNames } from './object-json-fragments.js';
import { parseFieldSelection } from './field-selection.js';

const machine = defineModel('toys.machine', {
  path: 'toys/machines',
  objectName: 'Machine',
  verboseName: 'machine',
  verboseNamePlural: 'machines',
  fields: {
    id: idField(),
    name: textField(),
    password: textField({ writeOnly: true }),
    config_context: jsonField({ excludable: true }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'name'],
  order: [{ field: 'name' }],
});

describe('GET of one object with query parameters', () => {
  it.each([
    ['', 'id name config_context'],
    ['brief=true&omit=', 'id name'],
    ['brief=true&omit=name', 'id config_context'],
    ['omit=name&fields=name,nope,password', 'name'],
    ['exclude=config_context', 'id name'],
    ['exclude=config_context,tags&fields=id,config_context', 'id'],
    ['exclude=name', 'id name config_context'],
    ['exclude=config_context&brief=1', 'id name'],
  ])('returns for the query ?%s exactly the fields: %s', (query, names) => {
    const selection = parseFieldSelection(new URLSearchParams(query), { brief: true });
    expect(listSelectedFieldNames(machine, selection).join(' ')).toBe(names);
  });
});
