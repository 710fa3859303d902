import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelRegistry } from '../src/models/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';

/**
 * Requests that created objects on the reference server. Each request has the recorded ids, display names and change
 * records.
 */
interface Replay {
  readonly requests: readonly (readonly [path: string, body: object, id: number])[];
  readonly displays: Readonly<Record<string, readonly (readonly [id: number, display: string])[]>>;
  readonly changes: Readonly<Record<string, RecordedChange>>;
}

interface RecordedChange {
  readonly id: number;
  readonly display: string;
  /**
   * Fields of an object in its change record, after the change. `{type}` replaces the numeric ids of models, because
   * these ids differ between servers.
   */
  readonly postchange: Readonly<Record<string, unknown>>;
}

const replay: Replay = JSON.parse(readFileSync(new URL('reference/replay.json', import.meta.url), 'utf8'));

interface Entry {
  readonly display: string;
  readonly object_repr: string;
  readonly postchange_data: Readonly<Record<string, unknown>>;
}

const masked = 'Secrets are masked.';
const mappings = 'Nothing else records a change of port mappings here.';

/**
 * Fields of change records in which this service intentionally differs from the reference server. Each entry has the
 * reason.
 */
const onPurpose: Readonly<Record<string, string>> = {
  'dcim/cables tags': 'The reference records a cable before its tags are stored.',
  'dcim/cables a_terminations': 'The reference records a cable before its ends are stored.',
  'dcim/cables b_terminations': 'The reference records a cable before its ends are stored.',
  'dcim/front-port-templates rear_ports': mappings,
  'dcim/front-ports rear_ports': mappings,
  'dcim/rear-port-templates front_ports': mappings,
  'dcim/rear-ports front_ports': mappings,
  'extras/webhooks secret': masked,
  'ipam/asns sites': 'Sites of an AS number that change are a change of the number as well.',
  'ipam/fhrp-groups auth_key': masked,
  'vpn/ike-policies preshared_key': masked,
  'wireless/wireless-lans auth_psk': masked,
  'wireless/wireless-links auth_psk': masked,
};

/**
 * Returns true if a member of a change record may differ from the recorded one. These members are intended differences,
 * and counters, which writes of other objects change without a change record.
 */
function isOnPurpose(path: string, member: string): boolean {
  return member.endsWith('_count') || Object.hasOwn(onPurpose, `${path} ${member}`);
}

describe('requests recorded on the reference server: creations', () => {
  let server: TestInventory;
  const refused: string[] = [];
  const numbers = new Map<string, number>();

  beforeAll(async () => {
    server = await startInventory();
    const { database } = server.inventory;
    for (const [path, body, id] of replay.requests) {
      const model = modelRegistry.findByPath(path.slice('/api/'.length, -1));
      await database.query(`SELECT setval(pg_get_serial_sequence($1, 'id'), $2, false)`, [model?.table, id]);
      const response = await server.fastify.inject({
        method: 'POST',
        url: path,
        payload: body,
        headers: { authorization: `Bearer ${server.adminToken}` },
      });
      if (response.statusCode !== 201) refused.push(`${path} ${JSON.stringify(body)}: ${response.body}`);
    }
    const { rows } = await database.query<{ id: number; type: string }>(
      `SELECT id, app_label || '.' || model AS type FROM core_objecttype`,
    );
    for (const row of rows) numbers.set(row.type, row.id);
  });
  afterAll(() => server.close());

  it('succeed when sent to this service', () => {
    expect(refused).toEqual([]);
  });

  it('create objects with the same display names as on the reference server', async () => {
    const shown: string[] = [];
    const wanted: string[] = [];
    for (const [path, examples] of Object.entries(replay.displays)) {
      for (const [id, display] of examples) {
        const { body } = await server.api.get<{ display: string }>(`/api/${path}/${id}/?fields=display`);
        shown.push(`${path} ${body.display}`);
        wanted.push(`${path} ${display}`);
      }
    }
    expect(shown).toEqual(wanted);
  });

  it.each(Object.entries(replay.changes))(
    'write the same change record as the reference server for the creation of %s',
    async (path, change) => {
      const type = modelRegistry.findByPath(path)?.type;
      const query = `changed_object_type=${type}&changed_object_id=${change.id}&action=create`;
      const { body } = await server.api.get<{ results: Entry[] }>(`/api/core/object-changes/?${query}`);
      const [entry] = body.results;
      if (entry === undefined) throw new Error(`${path} ${change.id} has no change record`);
      const wanted = Object.entries(change.postchange).filter(([name]) => !isOnPurpose(path, name));
      const names = Object.keys(entry.postchange_data).filter((name) => !isOnPurpose(path, name));
      expect(entry.display.replace(/ by root$/, '')).toBe(
        change.display.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, entryTime(entry)),
      );
      expect(names.toSorted()).toEqual(wanted.map(([name]) => name).toSorted());
      for (const [name, value] of wanted) expect([name, entry.postchange_data[name]]).toEqual([name, numbered(value)]);
    },
  );

  /** Returns the time at the start of a journal entry's display name. */
  function entryTime({ object_repr: repr }: Entry): string {
    return /\d{4}-\d\d-\d\d \d\d:\d\d/.exec(repr)?.[0] ?? '';
  }

  /** Returns a recorded value in which this server's numeric ids of models replace the recorded ids of models. */
  function numbered(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(numbered);
    const type: unknown = value !== null && typeof value === 'object' ? Reflect.get(value, 'type') : undefined;
    return typeof type === 'string' && type.includes('.') ? numbers.get(type) : value;
  }
});
