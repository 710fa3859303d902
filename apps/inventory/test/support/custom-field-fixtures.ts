import type { Fixture } from './describe-model.js';

/** Fixtures (test data) of custom fields and choice sets. */
export const customFieldFixtures: Readonly<Record<string, Fixture>> = {
  'extras.customfieldchoiceset': {
    create: () => [
      { name: 'delta 10', extra_choices: [['a', 'A']], choice_colors: { a: 'red' } },
      {
        name: 'delta 2',
        extra_choices: [
          ['b', 'B'],
          ['a', 'A'],
        ],
        order_alphabetically: true,
      },
      { name: 'echo', base_choices: 'IATA', extra_choices: [] },
    ],
    patch: { body: { extra_choices: [['z', 'Z']] }, shown: { extra_choices: [['z', 'Z']], choices_count: 1 } },
    filters: [
      { query: 'name=delta%202', finds: [1] },
      { query: 'base_choices=IATA', finds: [2] },
      { query: 'choice=b', finds: [1] },
      { query: 'choice_colors=red', finds: [0] },
      { query: 'order_alphabetically=true', finds: [1] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
  'extras.customfield': {
    surroundings: [
      {
        name: 'set',
        path: '/api/extras/custom-field-choice-sets/',
        body: { name: 'Set', extra_choices: [['a', 'A']] },
      },
    ],
    create: ({ set }) => [
      { name: 'delta_10', object_types: ['dcim.site'], type: 'text', required: true },
      { name: 'delta_2', object_types: ['dcim.site', 'dcim.region'], type: 'select', choice_set: set },
      { name: 'echo', object_types: ['dcim.region'], type: 'object', related_object_type: 'dcim.site' },
    ],
    patch: { body: { label: 'Shown' }, shown: { label: 'Shown', display: 'Shown' } },
    nullable: { field: 'validation_schema', value: null, shown: null },
    filters: [
      { query: 'name=delta_2', finds: [1] },
      { query: 'type=select', finds: [1] },
      { query: 'required=true', finds: [0] },
      { query: 'object_type=dcim.region', finds: [1, 2] },
      { query: 'related_object_type=dcim.site', finds: [2] },
      { query: 'choice_set=Set', finds: [1] },
      { query: 'q=delta', finds: [0, 1] },
    ],
  },
};
