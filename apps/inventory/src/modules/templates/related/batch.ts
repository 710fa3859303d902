import type { TemplateObject } from '@switchboard/templates';
import type { ModelDefinition } from '../../../engine/declaration/model.js';
import type { Json, OwnedRow } from './row-loader.js';

/** Objects that refer to the objects of a batch, once they have been read. */
export interface Referring {
  readonly batch: Batch;
  readonly byOwner: ReadonlyMap<number, readonly Json[]>;
  /** Objects for templates by owner, made when a template first uses them. */
  readonly made: Map<number, readonly TemplateObject[]>;
}

/**
 * Objects of one model that a template reached on the same way, such as the sites of all devices of a list. What it
 * needs of one of them is read for all.
 */
export class Batch {
  readonly #inner = new Map<string, Batch>();
  /** Referring objects by name of the relation. */
  readonly referring = new Map<string, Referring>();
  /** Numbers of referring objects by name of the relation. */
  readonly counts = new Map<string, ReadonlyMap<number, number>>();

  /** @param objects JSON of the objects */
  constructor(
    readonly model: ModelDefinition,
    readonly objects: () => readonly Json[],
  ) {}

  /** Ids of the objects, each once. */
  get ids(): readonly number[] {
    return [...new Set(this.objects().map(({ id }) => Number(id)))];
  }

  /**
   * Returns the batch of the objects of a model that are shown inside these objects at a path.
   *
   * @param objectsAt returns the objects that are shown inside an object
   */
  inner(path: string, model: ModelDefinition, objectsAt: (object: Json) => readonly Json[]): Batch {
    const key = `${path} ${model.type}`;
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    const made = new Batch(model, () => this.objects().flatMap(objectsAt));
    this.#inner.set(key, made);
    return made;
  }
}

/** Returns referring rows as a batch, by the objects that they refer to. */
export function asReferring(model: ModelDefinition, rows: readonly OwnedRow[]): Referring {
  const byOwner = new Map<number, Json[]>();
  for (const { owner, json } of rows) {
    const own = byOwner.get(owner);
    if (own === undefined) byOwner.set(owner, [json]);
    else own.push(json);
  }
  const objects = rows.map(({ json }) => json);
  return { batch: new Batch(model, () => objects), byOwner, made: new Map() };
}
