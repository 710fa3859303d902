import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AnyModelField } from '../src/engine/declaration/field.js';
import type { ModelDefinition } from '../src/engine/declaration/define-model.js';
import { modelRegistry } from '../src/models/index.js';
import { ownDestination, ownDestinations } from './support/non-reference-destinations.js';

/**
 * Description of a field of the reference API: a text `kind flags length`, followed by the choices of the field. Flags:
 * `r` required, `o` read-only, `n` nullable (a choice may be blank), `w` write-only.
 */
type ReferenceField = string | readonly [string, ...(string | number)[]];

interface ReferenceModel {
  readonly path: string;
  readonly list: readonly string[];
  readonly detail: readonly string[];
  readonly brief: readonly string[];
  readonly nested?: readonly string[];
  readonly fields: Readonly<Record<string, ReferenceField>>;
}

/** Descriptions of the models of the reference API, by `<app>.<model>`. */
const reference: Readonly<Record<string, ReferenceModel>> = JSON.parse(
  readFileSync(new URL('reference/models.json', import.meta.url), 'utf8'),
);

/**
 * Intended differences from the reference API, by `<app>.<model>` or `<app>.<model> <what>`. Each entry has the reason.
 */
const onPurpose: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'dcim.cable profile',
      'extras.configcontext data_source',
      'extras.configcontext data_file',
      'extras.configcontextprofile data_source',
      'extras.configcontextprofile data_file',
      'extras.configtemplate data_source',
      'extras.configtemplate data_file',
      'extras.exporttemplate data_source',
      'extras.exporttemplate data_file',
      'vpn.ikepolicy mode',
      'vpn.ikeproposal authentication_algorithm',
      'vpn.ipsecpolicy pfs_group',
      'vpn.ipsecproposal encryption_algorithm',
      'vpn.ipsecproposal authentication_algorithm',
    ].map((what) => [what, 'It may be unset, and null unsets it as it does everywhere else.']),
  ),
  'dcim.modulebay installed_module':
    'A module names its bay. The reference API takes it here as well, and keeps nothing.',
  ...Object.fromEntries(ownDestinations.map(({ type }) => [type, ownDestination])),
  'extras.eventrule action_type': 'Beyond the reference API: further kinds of destinations.',
  'extras.scriptmodule': 'Nothing runs scripts yet, so nothing takes their files.',
  'extras.dashboard': 'One object a user, at a path of its own.',
  'wireless.wirelesslan status': 'A network has a status always.',
  'circuits.circuit assignments': 'Circuits are assigned to groups by assignments, at a path of their own.',
  'extras.webhookdelivery': 'The reference API shows nothing of what it sends.',
  'ipam.vlan display_name': "The customer's document lists it beside display.",
  'users.token pepper_id': 'Which pepper a token is made with is the decision of the service.',
  'users.token token': 'Shown when the token is made, null afterwards.',
};

const unasked = new Set(['HEAD', 'OPTIONS']);
const asked = (methods: readonly string[]): string[] => methods.filter((method) => !unasked.has(method)).toSorted();

/** Returns the properties that a field must have, parsed from the description in {@link ReferenceField}. */
function wanted(field: ReferenceField, isWritten: boolean): Record<string, unknown> {
  const [text, ...choices] = typeof field === 'string' ? [field] : field;
  const [kind = '', flags = '', length] = text.split(' ');
  const readOnly = flags.includes('o');
  if (!isWritten) return choices.length > 0 ? { choices: choices.toSorted() } : {};
  return {
    readOnly,
    writeOnly: flags.includes('w'),
    ...(!readOnly && { required: flags.includes('r'), ...(kind !== 'tags' && { nullable: flags.includes('n') }) }),
    ...(!readOnly && length !== undefined && { length: Number(length) }),
    ...(choices.length > 0 && { choices: choices.toSorted() }),
  };
}

/** Returns the properties that a declared field has. The result contains only the keys of the expected properties. */
function offered({ traits, metadata }: AnyModelField, asked: Record<string, unknown>): Record<string, unknown> {
  const { readOnly, writeOnly, required, nullable } = traits;
  const all: Record<string, unknown> = {
    readOnly,
    writeOnly,
    required,
    nullable,
    length: metadata.max_length,
    choices: listedValues(metadata),
  };
  return Object.fromEntries(Object.keys(asked).map((key) => [key, all[key]]));
}

/**
 * Returns the values of the choices of a field, or of the items of a list field. Returns undefined for a field without
 * choices.
 */
function listedValues({ choices, child }: AnyModelField['metadata']) {
  const listed = choices ?? child?.choices;
  return typeof listed === 'object' ? listed.map(({ value }) => value).toSorted() : undefined;
}

function differences(model: ModelDefinition, { fields, ...facts }: ReferenceModel): string[] {
  const known = (what: string): boolean => `${model.type} ${what}` in onPurpose || model.type in onPurpose;
  const different = (what: string, own: unknown, theirs: unknown): string[] =>
    JSON.stringify(own) === JSON.stringify(theirs) || known(what)
      ? []
      : [`${what}: ${JSON.stringify(own)}, in the reference ${JSON.stringify(theirs)}`];
  const isWritten = facts.list.length > 1 || facts.detail.length > 1;
  const shown = Object.keys(model.fields).filter((name) => !known(name));
  const names = Object.keys(fields).filter((name) => !known(name));
  return [
    ...different('path', model.path, facts.path),
    ...different('list', asked(model.methods.list), asked(facts.list)),
    ...different('detail', asked(model.methods.detail), asked(facts.detail)),
    // Models without a brief form are not compared.
    ...(facts.brief.length === 0 ? [] : different('brief', model.brief, facts.brief)),
    ...(facts.nested === undefined ? [] : different('nested', model.nested, facts.nested)),
    ...different('fields', shown, names),
    ...names.flatMap((name) => {
      const [field, theirs] = [model.fields[name], fields[name]];
      if (field === undefined || theirs === undefined) return [];
      const facts = wanted(theirs, isWritten);
      return different(name, offered(field, facts), facts);
    }),
  ];
}

describe('declarations of models', () => {
  it.each(modelRegistry.models.map((model) => [model.type, model] as const))(
    'contain the same fields as the reference API: %s',
    (type, model) => {
      const facts = reference[type];
      const absent = type in onPurpose ? [] : [`${type} is not there`];
      expect(facts === undefined ? absent : differences(model, facts)).toEqual([]);
    },
  );

  it('exist for each model of the reference API', () => {
    const absent = Object.keys(reference).filter((type) => modelRegistry.find(type) === null && !(type in onPurpose));
    expect(absent).toEqual([]);
  });
});
