import type { ModelDefinition } from '../../../apps/inventory/src/engine/declaration/model.js';
import { registry } from '../../../apps/inventory/src/models/index.js';
import { fixtures } from '../../../apps/inventory/test/support/fixtures.js';
import { startInventory, type TestInventory } from '../../../apps/inventory/test/support/harness.js';
import type { RaceResponse, RaceWorld } from '../race-pair.js';
import { brokenInvariants } from './invariants.js';

export type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Keys whose values tell objects apart, also where bodies refer to objects by attributes. */
const names = new Set(['name', 'slug', 'model', 'cid', 'ssid', 'username', 'asset_tag', 'account', 'rd']);

/** A service of the inventory, and objects made from the fixtures of its tests. */
export class InventoryWorld implements RaceWorld {
  #made = 0;
  #checked = 0;
  /** VLAN ids by the number of the fixture, and the id there: there are few of them. */
  readonly #vids = new Map<string, number>();
  /** Ids of what the objects of a model need, by type. */
  readonly #surroundings = new Map<string, Promise<Record<string, number>>>();

  private constructor(private readonly test: TestInventory) {}

  static async start(): Promise<InventoryWorld> {
    return new InventoryWorld(await startInventory());
  }

  async send(method: Method, path: string, json?: unknown): Promise<RaceResponse> {
    const options = { unchecked: true, ...(json === undefined ? {} : { json }) };
    const { status, body } = await this.test.api.request<unknown>(method, path, options);
    return { status, body };
  }

  pathOf(model: ModelDefinition, id?: number): string {
    return `/api/${model.path}/${id === undefined ? '' : `${id}/`}`;
  }

  /** A body for a new object of a model, with names that no other object has. */
  async body(model: ModelDefinition, field?: string): Promise<Json> {
    const fixture = fixtures[model.type];
    if (fixture === undefined) throw new Error(`no fixture makes a ${model.type}`);
    const ids = await (this.#surroundings.get(model.type) ?? this.#surround(model));
    const bodies: readonly Json[] = fixture.create(ids);
    // Short ones refer to the least, and so depend on the fewest rules.
    const short = bodies.toSorted((left, right) => Object.keys(left).length - Object.keys(right).length);
    const body = short.find((one) => field !== undefined && Object.hasOwn(one, field)) ?? short[0] ?? {};
    this.#made += 1;
    const number = numberOf(model);
    return Object.fromEntries(
      Object.entries(body).map(([key, value]) => {
        if (key === 'vid') return [key, this.#own(key, value, number)];
        const isOwn = key === 'asn' || names.has(key);
        return [key, isOwn ? this.#own(key, value, 5000 + this.#made) : this.#renamed(value, number)];
      }),
    );
  }

  /** Creates an object. @throws Error when it is refused */
  async make(model: ModelDefinition): Promise<number> {
    return this.#post(this.pathOf(model), await this.body(model));
  }

  /** Change records of an object of which one does not begin with the state in which the one before ends. */
  async brokenChain({ type }: ModelDefinition, id: number): Promise<string[]> {
    const { rows } = await this.test.inventory.database.query<{ id: number }>(
      `SELECT id FROM (SELECT id, prechange_data, lag(postchange_data) OVER (ORDER BY id) AS before FROM core_objectchange
        WHERE changed_object_type = $1 AND changed_object_id = $2) c
        WHERE before IS NOT NULL AND prechange_data IS DISTINCT FROM before`,
      [type, id],
    );
    return rows.map((row) => `${type}: change record ${row.id} does not begin where the one before ends`);
  }

  async check(): Promise<readonly string[]> {
    const { findings, upTo } = await brokenInvariants(this.test.inventory, this.#checked);
    this.#checked = upTo;
    return findings;
  }

  stop(): Promise<void> {
    return this.test.close();
  }

  #surround(model: ModelDefinition): Promise<Record<string, number>> {
    const making = (async () => {
      const ids: Record<string, number> = { admin: this.test.adminId };
      for (const { name, path, body } of fixtures[model.type]?.surroundings ?? []) {
        ids[name] = await this.#post(path, this.#renamed(body, numberOf(model)));
      }
      return ids;
    })();
    this.#surroundings.set(model.type, making);
    return making;
  }

  async #post(path: string, json: unknown): Promise<number> {
    const { status, body } = await this.send('POST', path, json);
    if (status !== 201) throw new Error(`POST ${path} ${JSON.stringify(json)}: ${status} ${JSON.stringify(body)}`);
    return Number(Object(body)['id']);
  }

  /** A value of a body in which everything that tells objects apart has the number. */
  #renamed(value: unknown, number: number): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#renamed(one, number));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => {
        const isOwn = (names.has(key) || key === 'asn' || key === 'vid') && typeof one !== 'object';
        return [key, isOwn ? this.#own(key, one, number) : this.#renamed(one, number)];
      }),
    );
  }

  /** A value that no other number gives. */
  #own(key: string, value: unknown, number: number): unknown {
    if (key === 'asn') return Number(value) + number * 100;
    if (key === 'vid') {
      const vid = this.#vids.get(`${number} ${String(value)}`) ?? this.#vids.size + 2;
      this.#vids.set(`${number} ${String(value)}`, vid);
      return vid;
    }
    // The account that writes is there already.
    if (typeof value !== 'string' || value === 'root') return value;
    return key === 'rd' ? `${value}${number}` : `${value}x${number}`;
  }
}

/** Fixtures of several models share names: each has its own here, with this number. */
function numberOf(model: ModelDefinition): number {
  return registry.models.indexOf(model) + 1;
}
