import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createModelOptionsResponse } from '../src/engine/meta/options-response.js';
import { modelRegistry } from '../src/models/index.js';

/**
 * Recorded responses of the reference server to OPTIONS requests for lists. The recording also contains the choices of
 * fields.
 */
interface ReferenceOptions {
  /**
   * Fields of each list, by URL path of the list. A field is a text of the form `type|flags|label|members`. Flags: `r`
   * required, `o` read-only, `h` with a help text.
   */
  readonly options: Readonly<
    Record<string, { readonly name: string; readonly fields: Readonly<Record<string, string>> }>
  >;
  /**
   * Choices of fields, each choice as a text `value|label`. `of` contains the fields that have these choices, as
   * `path field`.
   */
  readonly choices: readonly { readonly of: readonly string[]; readonly choices: readonly string[] }[];
}

const reference: ReferenceOptions = JSON.parse(
  readFileSync(new URL('reference/options.json', import.meta.url), 'utf8'),
);

interface Described {
  readonly type: string;
  readonly required: boolean;
  readonly read_only: boolean;
  readonly label: string;
  readonly help_text?: string;
  readonly choices?: readonly { readonly value: unknown; readonly display_name: string }[];
  readonly children?: Readonly<Record<string, object>>;
  readonly child?: { readonly children?: Readonly<Record<string, object>> };
}

const ownLabel = 'The label is the one that messages name the field by.';

/**
 * Intended differences from the reference server, by `path field` or, for a field of any model, by the name of the
 * field. Each entry has the reason.
 */
const onPurpose: Readonly<Record<string, string>> = {
  _depth: 'Trees show more of a parent than its id and name.',
  parent: 'A parent in a tree is described with all members that it is shown with, and no other.',
  'circuits/circuits assignments': 'Circuits are assigned to groups by assignments, at a path of their own.',
  'core/data-sources type': 'A required choice has no empty value.',
  'dcim/interfaces wwn': ownLabel,
  'dcim/module-bays installed_module': 'A module names its bay; the bay cannot be written from here.',
  'extras/custom-field-choice-sets choice_colors': 'Described as any JSON value.',
  'extras/custom-field-choice-sets extra_choices': 'Described as any JSON value.',
  'extras/event-rules action_object_id': ownLabel,
  'extras/event-rules action_object_type': 'Lists the models that an action can have.',
  'extras/event-rules action_type': 'Beyond the reference: chat.',
  'extras/tags id': ownLabel,
  'extras/webhooks ca_file_path': ownLabel,
  'ipam/services ipaddresses': ownLabel,
  'ipam/vlan-groups vid_ranges': ownLabel,
  'ipam/vlan-groups total_vlan_ids': ownLabel,
  'ipam/vlans display_name': "The customer's document lists it beside display.",
  'ipam/vlans qinq_role': ownLabel,
  'users/tokens allowed_ips': ownLabel,
  'users/tokens pepper_id': 'The service decides which pepper a token is made with.',
  'virtualization/virtual-disks size': ownLabel,
  'virtualization/virtual-machine-types default_memory': ownLabel,
  'virtualization/virtual-machines disk': ownLabel,
  'virtualization/virtual-machines memory': ownLabel,
  'wireless/wireless-lans vlan': ownLabel,
  'wireless/wireless-links interface_a': ownLabel,
  'wireless/wireless-links interface_b': ownLabel,
};

const described = new Map<string, Readonly<Record<string, Described>>>();
for (const path of Object.keys(reference.options)) {
  const model = modelRegistry.findByPath(path);
  if (model === null) continue;
  const visible = { create: true, change: true };
  const options: { actions?: { POST?: Record<string, Described> } } = JSON.parse(
    JSON.stringify(createModelOptionsResponse(model, 'list', visible, modelRegistry)),
  );
  described.set(path, options.actions?.POST ?? {});
}

function lineOf(field: Described): string {
  const flags = `${field.required ? 'r' : ''}${field.read_only ? 'o' : ''}${field.help_text === undefined ? '' : 'h'}`;
  const members = Object.keys(field.children ?? field.child?.children ?? {});
  return [field.type, flags, field.label, ...(members.length === 0 ? [] : [members.join(',')])].join('|');
}

const isKnown = (path: string, name: string): boolean => `${path} ${name}` in onPurpose || name in onPurpose;

describe('OPTIONS of lists', () => {
  it.each(Object.entries(reference.options))(
    'describes the fields of %s as the reference API does',
    (path, { fields }) => {
      const own = described.get(path) ?? {};
      const wanted = Object.entries(fields).filter(([name]) => !isKnown(path, name));
      const shown = Object.entries(own).filter(([name]) => !isKnown(path, name));
      expect(Object.fromEntries(shown.map(([name, field]) => [name, lineOf(field)]))).toEqual(
        Object.fromEntries(wanted),
      );
    },
  );

  it('lists the choices of every choice field with their labels', () => {
    const different: string[] = [];
    for (const { of, choices } of reference.choices) {
      for (const field of of) {
        const [path = '', name = ''] = field.split(' ');
        if (isKnown(path, name)) continue;
        const listed = described.get(path)?.[name]?.choices ?? [];
        const own = listed.map(({ value, display_name }) => `${String(value)}|${display_name}`);
        if (JSON.stringify(own) !== JSON.stringify(choices)) different.push(field);
      }
    }
    expect(different).toEqual([]);
  });

  it('lists the models that a generic reference may have, sorted by title', () => {
    const { choices = [] } = described.get('extras/bookmarks')?.['object_type'] ?? {};
    const titles = choices.map(({ display_name }) => display_name);
    expect(choices).toContainEqual({ value: 'dcim.site', display_name: 'DCIM > Site' });
    expect(titles).toEqual(titles.toSorted());
  });
});
