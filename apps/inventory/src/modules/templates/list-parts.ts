import { LazyList, type RelatedList, type Rows } from '@switchboard/templates';
import type { ModelDefinition } from '../../engine/declaration/model.js';
import type { StoredObjects } from '../../engine/read/stored-objects.js';
import { loadLimits } from './related/load-limits.js';
import { RelatedObjects, type RelatedServices } from './related/related-objects.js';
import type { Json } from './related/row-loader.js';

/** Objects of a list to render, and what its templates may read in addition. */
export interface RenderedList {
  readonly model: ModelDefinition;
  readonly objects: StoredObjects;
  readonly related: RelatedServices;
}

/**
 * Largest list of objects that is in memory as a whole while a template renders it, in objects and in bytes of JSON
 * text.
 */
export const maxListInMemory = { objects: 1000, bytes: 8_388_608 };

/**
 * Objects of a list for a template. What the template loads is limited for all of them together; of a long list, for the
 * current part and everything else that is in use.
 */
export class ListParts {
  readonly #left = { ...loadLimits };
  /** Objects that the whole rendering uses. */
  readonly related: RelatedObjects;
  #part: RelatedObjects | null = null;

  constructor(private readonly list: RenderedList) {
    this.related = new RelatedObjects(list.related, this.#left);
  }

  /** Returns the variable `queryset`. A long list is read in parts. */
  async queryset(): Promise<LazyList | RelatedList> {
    const { objects, model } = this.list;
    const { count } = objects;
    if (count > maxListInMemory.objects || objects.bytes > maxListInMemory.bytes) {
      const { items } = await objects.read(0);
      return new LazyList(count, this.related.objectsOf(model, items.slice(0, 1).map(asJson))[0]);
    }
    const all: Json[] = [];
    while (all.length < count) all.push(...(await objects.read(all.length)).items.map(asJson));
    return this.related.listOf(model, all);
  }

  /** Reads a part of a long list. The related objects of the previous part are no longer in use. */
  async read(from: number): Promise<Rows> {
    const { objects, model, related } = this.list;
    const { items, lengths } = await objects.read(from);
    this.#part?.release();
    this.#part = new RelatedObjects(related, this.#left);
    return { items: this.#part.objectsOf(model, items.map(asJson)), lengths };
  }
}

function asJson(item: unknown): Json {
  return { ...Object(item) };
}
