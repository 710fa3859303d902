import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelRegistry } from '../src/models/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Invalid requests recorded on the reference server. In a request, `$x` stands for the id of an object: the object that
 * the setup step with the `ref` x created.
 */
interface Group {
  readonly group: string;
  readonly setup: readonly {
    readonly ref?: string;
    readonly method: Method;
    readonly path: string;
    readonly body: object;
  }[];
  readonly requests: readonly BadRequest[];
}

interface BadRequest {
  readonly title: string;
  readonly request: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  /**
   * Recorded response of the reference server. Undefined if the server accepted the invalid request or failed with an
   * internal error.
   */
  readonly response?: unknown;
  /** True if the object that the request created was deleted right after the request. */
  readonly removed?: boolean;
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`reference/${name}`, import.meta.url), 'utf8'));
const groups = read('errors.json') as readonly Group[];
const { requests: seed } = read('replay.json') as { requests: readonly (readonly [string, object, number])[] };

const parser = 'The recording gives a text that is no JSON; sent as text it is a body of another media type.';
const dependents = 'Dependents are listed in the order of their model.';
const python = 'The message of a library of the reference, in words of its own.';
const words = 'The same refusal in other words.';
const ours = 'Says more.';
const absent = 'The endpoint does not exist here yet.';

/** Intended differences from the reference server, by `group: title` of the request. Each entry has the reason. */
const different: Readonly<Record<string, string>> = {
  'base: related bad attribute name': 'Names the fields that can be written, not the columns of related tables.',
  'base: related negative': words,
  'base: related huge': words,
  'base: m2m item null': words,
  'base: m2m item object': 'An object of attributes may name an object here as well.',
  'base: decimal out of range': 'A bound is written without needless places.',
  'base: add_tags wrong type': 'The message is under the field that it is about.',
  'base: custom_fields unknown': 'The same members in another order.',
  'base: malformed json': parser,
  'filters and pagination: filter':
    'The message is under the parameter that was sent; elevations and connected-device do not exist yet.',
  'bulk: PATCH list string id': 'A set of braces is no JSON: the recording lost the body.',
  'bulk: DELETE list protected': dependents,
  'protected deletes: delete protected': dependents,
  'devices and racks: dt to 0U': 'No HTML in a message.',
  'components: rear position in use': words,
  'components: bad attributes': python,
  'components: missing attr': python,
  'components: schema invalid': python,
  'ipam: prefix 5': python,
  "ipam: ip 'x'": words,
  "ipam: ip '10.0.0.1/33'": words,
  'ipam: ip 5': python,
  'ipam: range x-y': words,
  'ipam: vid_ranges []': words,
  'ipam: fhrp prio 256': 'The same members in another order.',
  "available lists: available-prefixes {'prefix_length': 28}": words,
  "available lists: available-prefixes {'prefix_length': 0}": words,
  "available lists: available-prefixes {'prefix_length': None}": words,
  'available lists: vlans dup name': words,
  'users and tokens: token short v1': words,
  'users and tokens: token expires past': 'The time of the server is in the header Date.',
  'users and tokens: PATCH token version': 'The version of a token cannot be written and is ignored.',
  'custom fields: cf schema bad': python,
  'custom fields: cf related filter str': words,
  "custom fields: extra_choices ['a']": words,
  "custom fields: extra_choices [['a']]": words,
  "custom fields: extra_choices [['a', 'A', 'x']]": words,
  'custom fields: colors hex': words,
  "custom fields: cf value cf_select=['a']": words,
  'custom fields: cf value cf_multiselect=[5]': words,
  'custom fields: cf value cf_multiobject=1': words,
  'custom fields: cf required null': words,
  'custom fields: cf change type': ours,
  'extras: journal kind': ours,
  'extras: notification event': ours,
  'extras: sync no worker': absent,
  'circuits, tenancy, virtualization, vpn, wireless: vcpus': python,
  'circuits, tenancy, virtualization, vpn, wireless: tt dup': 'One message a cause.',
  'circuits, tenancy, virtualization, vpn, wireless: l2t dup': 'One message a cause.',
  'circuits, tenancy, virtualization, vpn, wireless: delete vlan svlan etc': dependents,
};

const key = (group: string, { title }: BadRequest): string => `${group}: ${title}`;

describe('error responses to invalid requests', () => {
  let server: TestInventory;
  const refs = new Map<string, unknown>();
  const differing = new Set<string>();
  beforeAll(async () => {
    server = await startInventory();
    for (const [path, body, id] of seed) {
      const model = modelRegistry.findByPath(path.slice('/api/'.length, -1));
      await server.inventory.database.query(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2, false)`, [
        model?.table,
        id,
      ]);
      await send('POST', path, body);
    }
  });
  afterAll(() => server.close());

  async function send(method: Method, url: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await server.fastify.inject({
      method,
      url,
      headers: { authorization: `Bearer ${server.adminToken}`, ...headers },
      ...(body === undefined ? {} : { payload: Object(body) }),
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const sent: unknown = isJson ? JSON.parse(response.body) : response.body;
    return { status: response.statusCode, body: sent };
  }

  /** Returns a value in which ids replace references such as `$x` to objects of the setup. */
  function known(value: unknown): unknown {
    if (typeof value === 'string') {
      if (/^\$\w+$/.test(value)) return refs.get(value.slice(1)) ?? value;
      return value.replaceAll(/\$([a-z]\w*)/gi, (name, ref: string) => String(refs.get(ref) ?? name));
    }
    if (Array.isArray(value)) return value.map(known);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, known(part)]));
  }

  it.each(groups)('match the reference API for $group', async ({ group, setup, requests }) => {
    for (const step of setup) {
      const made = await send(step.method, String(known(step.path)), known(step.body));
      if (step.ref !== undefined) refs.set(step.ref, Reflect.get(Object(made.body), 'id'));
    }
    const found: string[] = [];
    for (const bad of requests) {
      const [method = '', path = ''] = bad.request.split(' ');
      const response = await send(method as Method, String(known(path)), known(bad.body), bad.headers);
      if (response.status >= 500) found.push(`${bad.title}: ${response.status}`);
      const id: unknown = Reflect.get(Object(response.body), 'id');
      if (bad.removed === true && typeof id === 'number') await send('DELETE', `${path}${id}/`);
      const same = response.status === bad.status && JSON.stringify(response.body) === JSON.stringify(bad.response);
      if (!same) differing.add(key(group, bad));
      if (key(group, bad) in different) continue;
      if (bad.response === undefined) {
        // If the reference server accepts the request or fails, this service accepts it too, or rejects it with 400.
        if (response.status !== bad.status && response.status !== 400 && bad.status !== 500)
          found.push(`${bad.title}: ${response.status}`);
      } else if (!same) {
        found.push(`${bad.title}: ${response.status} ${JSON.stringify(response.body)}`);
      }
    }
    expect(found).toEqual([]);
  });

  it('differ from the reference API only in the listed cases', () => {
    expect(Object.keys(different).filter((listed) => !differing.has(listed))).toEqual([]);
  });
});
