import type { ModelDefinition } from '../../../apps/inventory/src/engine/declaration/define-model.js';
import { FixtureBodies } from '../../../apps/inventory/test/support/fixture-bodies.js';
import { startInventory, type TestInventory } from '../../../apps/inventory/test/support/test-service.js';
import type { RaceResponse, RaceWorld } from '../race-pair.js';
import { brokenInvariants } from './inventory-invariants.js';

export type Json = Record<string, unknown>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A running inventory service whose objects are created from the fixtures of its tests. */
export class InventoryWorld implements RaceWorld {
  #checked = 0;
  readonly #bodies: FixtureBodies;

  private constructor(private readonly test: TestInventory) {
    this.#bodies = new FixtureBodies(test.adminId, (path, body) => this.#post(path, body));
  }

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

  /** Returns a request body that creates an object of a model. The names in the body are unused. */
  body(model: ModelDefinition, field?: string): Promise<Json> {
    return this.#bodies.of(model, field);
  }

  /**
   * Creates an object of a model and returns the id of the object.
   *
   * @throws Error if the request is rejected
   */
  async make(model: ModelDefinition): Promise<number> {
    return this.#post(this.pathOf(model), await this.body(model));
  }

  /**
   * Checks the change records of an object. Returns a problem for each record whose state before the change differs
   * from the state after the previous record.
   */
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

  async #post(path: string, json: unknown): Promise<number> {
    const { status, body } = await this.send('POST', path, json);
    if (status !== 201) throw new Error(`POST ${path} ${JSON.stringify(json)}: ${status} ${JSON.stringify(body)}`);
    return Number(Object(body)['id']);
  }
}
