import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { getFiltersOfModel } from '../src/engine/filter/compile-filters.js';
import { modelRegistry } from '../src/models/index.js';
import { ownDestination, ownDestinations } from './support/non-reference-destinations.js';

/**
 * Filters of each model in the reference API. A filter has a type, `*` if its values can be repeated, the name of its
 * set of lookups, and the model of its values.
 */
const reference: {
  readonly lookups: Readonly<Record<string, readonly string[]>>;
  readonly filters: Readonly<Record<string, Readonly<Record<string, string>>>>;
} = JSON.parse(readFileSync(new URL('reference/filters.json', import.meta.url), 'utf8'));

/**
 * Model that must be declared for a filter to exist, by the name of the filter. The model is needed in addition to the
 * model of the filter's values.
 */
const needs: Readonly<Record<string, string>> = {
  created_by_request: 'core.objectchange',
  updated_by_request: 'core.objectchange',
  modified_by_request: 'core.objectchange',
  device: 'dcim.device',
  device_id: 'dcim.device',
  virtual_machine: 'virtualization.virtualmachine',
  virtual_machine_id: 'virtualization.virtualmachine',
  contact: 'tenancy.contactassignment',
  contact_role: 'tenancy.contactassignment',
  contact_group: 'tenancy.contactassignment',
  content_type_id: 'core.objecttype',
  for_object_type_id: 'core.objecttype',
  vlan_vid: 'ipam.vlan',
};

/**
 * Intended differences from the reference API, by `<app>.<model> <filter>` or `<app>.<model>`. Each entry has the
 * reason.
 */
const onPurpose: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ownDestinations.map(({ type }) => [type, ownDestination])),
  ...Object.fromEntries(
    ['notification', 'notificationgroup', 'subscription'].map((model) => [
      `extras.${model} id`,
      'docs/contract/inventory.md 1.9 has this filter everywhere; the reference API lacks it here.',
    ]),
  ),
  'extras.webhookdelivery': 'The reference API shows nothing of what it sends.',
  'vpn.ikepolicy preshared_key': 'Sealed texts are found by being equal or empty, each of them in the same way.',
  ...Object.fromEntries(
    ['ipam.vlantranslationpolicy', 'ipam.vlantranslationrule', 'core.datasource'].flatMap((model) =>
      ['tag', 'tag_id'].map((name) => [
        `${model} ${name}`,
        'The reference API has no field to give these objects tags by.',
      ]),
    ),
  ),
};

interface Offered {
  readonly name: string;
  readonly lookups: readonly string[];
  readonly multiple: boolean;
}

/**
 * Returns the names of a list's filters with all lookups. The name of a filter whose values can be repeated has the
 * suffix `*`.
 */
function namesOf(filters: readonly Offered[]): string[] {
  return filters.flatMap(({ name, lookups, multiple }) => [
    `${name}${multiple ? '*' : ''}`,
    ...lookups.map((lookup) => `${name}__${lookup}`),
  ]);
}

function without(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}

describe('filters of every declared model', () => {
  it.each(modelRegistry.servedModels.map((model) => [model.type, model] as const))(
    'equal the names and lookups of filters in the reference API: %s',
    (type, model) => {
      const wanted = Object.entries(reference.filters[type] ?? {}).flatMap(([name, text]) => {
        const [kind = '', lookups = '', to] = text.split(' ');
        const waits = [needs[name], to].some((needed) => needed !== undefined && modelRegistry.find(needed) === null);
        if (waits || `${type} ${name}` in onPurpose) return [];
        return [{ name, lookups: reference.lookups[lookups] ?? [], multiple: kind.endsWith('*') }];
      });
      const own = [...getFiltersOfModel(model, modelRegistry).values()].filter(
        ({ name }) => !(type in onPurpose) && !(`${type} ${name}` in onPurpose),
      );
      const [asked, offered] = [namesOf(wanted), namesOf(own)];
      expect({ missing: without(asked, offered), beyond: without(offered, asked) }).toEqual({
        missing: [],
        beyond: [],
      });
    },
  );
});
