import type { ModelDefinition } from '../../src/engine/declaration/define-model.js';
import { modelRegistry } from '../../src/models/index.js';
import { fixtures } from './fixtures.js';

type Json = Record<string, unknown>;

/**
 * Creates an object by a POST request and returns its id.
 *
 * @throws Error if the request is rejected
 */
export type CreateObject = (path: string, body: unknown) => Promise<number>;

/**
 * Names of fields that identify an object. The fields can also occur in references that identify an object by
 * attributes.
 */
const names = new Set(['name', 'slug', 'model', 'cid', 'ssid', 'username', 'asset_tag', 'account', 'rd']);

/**
 * Creates request bodies for objects of all models, based on the fixtures (test data). No two of the created objects
 * have the same name, so that one database can contain all objects.
 */
export class FixtureBodies {
  #made = 0;
  /**
   * Unique VLAN ids, by the number of the fixture and the original VLAN id. The ids are assigned one by one, because
   * only 4094 ids exist.
   */
  readonly #vids = new Map<string, number>();
  /** Ids of the objects that must exist before the objects of a fixture, by model of the fixture. */
  readonly #surroundings = new Map<string, Promise<Record<string, number>>>();

  constructor(
    private readonly adminId: number,
    private readonly create: CreateObject,
  ) {}

  /**
   * Returns a request body with unique names for a new object of a model. If `field` is given, the body contains the
   * field of that name.
   */
  async of(model: ModelDefinition, field?: string): Promise<Json> {
    const fixture = fixtures[model.type];
    if (fixture === undefined) throw new Error(`no fixture makes a ${model.type}`);
    const ids = await (this.#surroundings.get(model.type) ?? this.#surround(model));
    const bodies: readonly Json[] = fixture.create(ids);
    // Short bodies have the fewest references, and so depend on the fewest rules.
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

  #surround(model: ModelDefinition): Promise<Record<string, number>> {
    const making = (async () => {
      const ids: Record<string, number> = { admin: this.adminId };
      for (const { name, path, body } of fixtures[model.type]?.surroundings ?? []) {
        ids[name] = await this.create(path, this.#renamed(body, numberOf(model)));
      }
      return ids;
    })();
    this.#surroundings.set(model.type, making);
    return making;
  }

  /**
   * Returns a value of a request body in which values that identify objects are made unique. `number` distinguishes the
   * values of different fixtures.
   */
  #renamed(value: unknown, number: number): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#renamed(one, number));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => {
        const isOwn = (names.has(key) || ['asn', 'vid', 'address'].includes(key)) && typeof one !== 'object';
        return [key, isOwn ? this.#own(key, one, number) : this.#renamed(one, number)];
      }),
    );
  }

  /** Returns a variant of a value that differs for each `number`. */
  #own(key: string, value: unknown, number: number): unknown {
    if (key === 'asn') return Number(value) + number * 100;
    if (key === 'vid') {
      const vid = this.#vids.get(`${number} ${String(value)}`) ?? this.#vids.size + 2;
      this.#vids.set(`${number} ${String(value)}`, vid);
      return vid;
    }
    // Replaces the second part of an address, which is zero in all fixtures.
    if (key === 'address') return String(value).replace(/^10\.0\./, `10.${20 + (number % 200)}.`);
    // The user who sends the requests exists already.
    if (typeof value !== 'string' || value === 'root') return value;
    return key === 'rd' ? `${value}${number}` : `${value}x${number}`;
  }
}

/**
 * Returns the number of a model's fixture. The number makes names unique, because fixtures of several models use the
 * same names.
 */
function numberOf(model: ModelDefinition): number {
  return modelRegistry.models.indexOf(model) + 1;
}
