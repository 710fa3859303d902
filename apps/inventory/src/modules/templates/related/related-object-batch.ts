import type { TemplateObject } from '@switchboard/templates';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { ModelDefinition } from '../../../engine/declaration/define-model.js';
import { createLoadLimitError, relatedLoadLimits, createTooManyRowsError } from './related-load-limits.js';
import type { ObjectJson, RowWithOwner } from './related-row-loader.js';

/** Maximum nesting depth between objects that were read together and the related objects that their JSON contains. */
const maxNestedBatchDepth = 50;

/**
 * Counts the visits to loaded objects during a template rendering. The method returns true if the caller must pause to
 * let the event loop run.
 */
export interface ObjectVisitCounter {
  countObjectVisit(): boolean;
}

/** Function that returns the objects of a batch. An object may occur several times in the result. */
type ObjectBatchReader = (looks: ObjectVisitCounter) => Iterable<ObjectJson> | Promise<Iterable<ObjectJson>>;

/**
 * Objects of one model that a template can reach in the same way, such as the sites of all devices in a list. If the
 * template needs data of one object in the batch, one SQL statement reads the data of all objects in the batch.
 */
export class RelatedObjectBatch {
  readonly #inner = new Map<string, RelatedObjectBatch>();
  readonly #referringBatch = new Map<string, ReferringObjects>();

  /** @param steps number of steps from objects that were read together */
  constructor(
    readonly model: ModelDefinition,
    private source: ObjectBatchReader,
    private readonly steps = 0,
  ) {}

  /**
   * Returns the ids of all objects in the batch, and the id that is passed as `own`.
   *
   * @throws TemplateLimitError if there are more objects than may be read
   */
  async listIdsIncluding(own: number, looks: ObjectVisitCounter): Promise<readonly number[]> {
    const objects = await this.#collectObjects(looks, (object) => [object]);
    return [...new Set([own, ...objects.keys()])];
  }

  /**
   * Returns the batch of the objects that are nested inside this batch's objects at a path.
   *
   * @param objectsAt returns the objects nested inside an object
   * @throws TemplateLimitError if the nesting is too deep
   */
  getNestedBatch(
    path: string,
    model: ModelDefinition,
    objectsAt: (object: ObjectJson) => readonly ObjectJson[],
  ): RelatedObjectBatch {
    const key = `${path} ${model.type}`;
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    if (this.steps === maxNestedBatchDepth)
      throw createLoadLimitError('depth', `related objects that are more than ${maxNestedBatchDepth} steps away`);
    const source: ObjectBatchReader = async (looks) => (await this.#collectObjects(looks, objectsAt)).values();
    const made = new RelatedObjectBatch(model, source, this.steps + 1);
    this.#inner.set(key, made);
    return made;
  }

  /**
   * Returns the objects of a model that refer to the objects of this batch through the relation with the given name.
   */
  getReferringObjects(name: string, model: ModelDefinition): ReferringObjects {
    const known = this.#referringBatch.get(name) ?? new ReferringObjects(model);
    this.#referringBatch.set(name, known);
    return known;
  }

  /** Releases the memory of the objects in this batch. Returns the batches of objects related to them. */
  releaseMemory(): readonly RelatedObjectBatch[] {
    const reached = [
      ...this.#inner.values(),
      ...[...this.#referringBatch.values()].map((one) => one.releaseReferringObjects()),
    ];
    this.source = () => [];
    this.#inner.clear();
    this.#referringBatch.clear();
    return reached;
  }

  /** Returns the objects of this batch, or the objects nested inside them, by id. Each object occurs only once. */
  async #collectObjects(
    looks: ObjectVisitCounter,
    objectsAt: (object: ObjectJson) => readonly ObjectJson[],
  ): Promise<ReadonlyMap<number, ObjectJson>> {
    const objects = new Map<number, ObjectJson>();
    for (const own of await this.source(looks)) {
      if (looks.countObjectVisit()) await nextRound();
      for (const json of objectsAt(own)) {
        if (looks.countObjectVisit()) await nextRound();
        objects.set(Number(json['id']), json);
        if (objects.size > relatedLoadLimits.rows) throw createTooManyRowsError();
      }
    }
    return objects;
  }
}

/** Objects that refer to the objects of a batch. Contains only objects that have already been read or counted. */
export class ReferringObjects {
  readonly batch: RelatedObjectBatch;
  readonly #byOwner = new Map<number, ObjectJson[]>();
  readonly #counts = new Map<number, number>();
  /**
   * Template objects of the objects that refer to a batch's objects, by the id of the referenced object. An entry is
   * created at its first use.
   */
  readonly #made = new Map<number, readonly TemplateObject[]>();

  constructor(model: ModelDefinition) {
    this.batch = new RelatedObjectBatch(model, () => [...this.#byOwner.values()].flat());
  }

  /** Releases the memory of the objects that refer to a batch's objects. Returns the batch of the released objects. */
  releaseReferringObjects(): RelatedObjectBatch {
    for (const map of [this.#byOwner, this.#counts, this.#made]) map.clear();
    return this.batch;
  }

  /** Returns those of the given ids of objects for which the referring objects have not been read yet. */
  listUnreadOwnerIds(ids: readonly number[]): readonly number[] {
    return ids.filter((id) => !this.#byOwner.has(id));
  }

  /** Stores the objects (`rows`) that refer to the objects with the ids `owners`. */
  addReferringRows(owners: readonly number[], rows: readonly RowWithOwner[]): void {
    for (const owner of owners) this.#byOwner.set(owner, []);
    for (const { owner, json } of rows) this.#byOwner.get(owner)?.push(json);
  }

  /** Stores how many objects refer to each of the objects with the ids `owners`. */
  addReferringCounts(owners: readonly number[], counts: ReadonlyMap<number, number>): void {
    for (const owner of owners) this.#counts.set(owner, counts.get(owner) ?? 0);
  }

  /**
   * Returns the number of objects that refer to an object, or undefined if the referring objects have not been counted.
   */
  getReferringCount(owner: number): number | undefined {
    return this.#byOwner.get(owner)?.length ?? this.#counts.get(owner);
  }

  /** Returns the objects that refer to an object, or undefined if the referring objects have not been read. */
  getReferringObjects(
    owner: number,
    make: (json: ObjectJson, batch: RelatedObjectBatch) => TemplateObject,
  ): readonly TemplateObject[] | undefined {
    const made = this.#made.get(owner);
    if (made !== undefined) return made;
    const objects = this.#byOwner.get(owner)?.map((json) => make(json, this.batch));
    if (objects !== undefined) this.#made.set(owner, objects);
    return objects;
  }
}
