import type { TemplateObject } from '@switchboard/templates';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { ModelDefinition } from '../../../engine/declaration/model.js';
import { limitError, loadLimits, tooManyRows } from './load-limits.js';
import type { Json, OwnedRow } from './row-loader.js';

/** Maximum depth of nesting between objects that were read together and the related objects shown inside them. */
const maxSteps = 50;

/** Counts visits to loaded objects. Returns true if the caller has to pause. */
export interface Looks {
  look(): boolean;
}

/** Function that returns the objects of a batch, possibly with repetitions. */
type Source = (looks: Looks) => Iterable<Json> | Promise<Iterable<Json>>;

/**
 * Objects of one model that a template can reach in the same way, such as the sites of all devices in a list. Whatever
 * the template needs from one of them is read for all of them in one statement.
 */
export class Batch {
  readonly #inner = new Map<string, Batch>();
  readonly #referring = new Map<string, Referring>();

  /** @param steps number of steps from objects that were read together */
  constructor(
    readonly model: ModelDefinition,
    private source: Source,
    private readonly steps = 0,
  ) {}

  /**
   * Returns the ids of all objects in the batch, and the id `own`.
   *
   * @throws TemplateLimitError if there are more objects than may be read
   */
  async idsWith(own: number, looks: Looks): Promise<readonly number[]> {
    const objects = await this.#objects(looks, (object) => [object]);
    return [...new Set([own, ...objects.keys()])];
  }

  /**
   * Returns the batch of the objects that are nested inside this batch's objects at a path.
   *
   * @param objectsAt returns the objects nested inside an object
   * @throws TemplateLimitError if the nesting is too deep
   */
  nested(path: string, model: ModelDefinition, objectsAt: (object: Json) => readonly Json[]): Batch {
    const key = `${path} ${model.type}`;
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    if (this.steps === maxSteps) throw limitError('depth', `related objects that are more than ${maxSteps} steps away`);
    const source: Source = async (looks) => (await this.#objects(looks, objectsAt)).values();
    const made = new Batch(model, source, this.steps + 1);
    this.#inner.set(key, made);
    return made;
  }

  /** Returns the objects of a model that refer to this batch's objects, by the name of the relation. */
  referring(name: string, model: ModelDefinition): Referring {
    const known = this.#referring.get(name) ?? new Referring(model);
    this.#referring.set(name, known);
    return known;
  }

  /** Releases the memory of the batch's objects. Returns the batches of related objects. */
  release(): readonly Batch[] {
    const reached = [...this.#inner.values(), ...[...this.#referring.values()].map((one) => one.release())];
    this.source = () => [];
    this.#inner.clear();
    this.#referring.clear();
    return reached;
  }

  /** Returns this batch's objects, or the objects nested inside them, by id and without repetitions. */
  async #objects(looks: Looks, objectsAt: (object: Json) => readonly Json[]): Promise<ReadonlyMap<number, Json>> {
    const objects = new Map<number, Json>();
    for (const own of await this.source(looks)) {
      if (looks.look()) await nextRound();
      for (const json of objectsAt(own)) {
        if (looks.look()) await nextRound();
        objects.set(Number(json['id']), json);
        if (objects.size > loadLimits.rows) throw tooManyRows();
      }
    }
    return objects;
  }
}

/** Objects that refer to the objects of a batch, as far as they have been read or counted. */
export class Referring {
  readonly batch: Batch;
  readonly #byOwner = new Map<number, Json[]>();
  readonly #counts = new Map<number, number>();
  /** Template objects of the referring objects, by the id of the object they refer to; created at the first use. */
  readonly #made = new Map<number, readonly TemplateObject[]>();

  constructor(model: ModelDefinition) {
    this.batch = new Batch(model, () => [...this.#byOwner.values()].flat());
  }

  /** Releases the memory of the referring objects. Returns their batch. */
  release(): Batch {
    for (const map of [this.#byOwner, this.#counts, this.#made]) map.clear();
    return this.batch;
  }

  /** Returns those of the given ids whose referring objects have not been read yet. */
  unread(ids: readonly number[]): readonly number[] {
    return ids.filter((id) => !this.#byOwner.has(id));
  }

  /** Stores the objects that refer to the objects with the ids `owners`. */
  add(owners: readonly number[], rows: readonly OwnedRow[]): void {
    for (const owner of owners) this.#byOwner.set(owner, []);
    for (const { owner, json } of rows) this.#byOwner.get(owner)?.push(json);
  }

  /** Stores how many objects refer to each of the objects with the ids `owners`. */
  addCounts(owners: readonly number[], counts: ReadonlyMap<number, number>): void {
    for (const owner of owners) this.#counts.set(owner, counts.get(owner) ?? 0);
  }

  /** Returns the number of objects that refer to an object, or undefined if they have not been counted. */
  countOf(owner: number): number | undefined {
    return this.#byOwner.get(owner)?.length ?? this.#counts.get(owner);
  }

  /** Returns the objects that refer to an object, or undefined if they have not been read. */
  objectsOf(owner: number, make: (json: Json, batch: Batch) => TemplateObject): readonly TemplateObject[] | undefined {
    const made = this.#made.get(owner);
    if (made !== undefined) return made;
    const objects = this.#byOwner.get(owner)?.map((json) => make(json, this.batch));
    if (objects !== undefined) this.#made.set(owner, objects);
    return objects;
  }
}
