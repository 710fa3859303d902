import { LazyList, type RelatedList, type Rows, type RowsRequest } from '@switchboard/templates';
import type { ModelDefinition } from '../../engine/declaration/model.js';
import type { StoredObjects } from '../../engine/read/stored-objects.js';
import { loadLimits, type LoadStock, longExport } from './related/load-limits.js';
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

/** Number of rows before the requested ones that a loop may still use. */
const rowsInUse = 2;

/** A part of a long list: indexes of its first object and of the one after its last, and its objects. */
interface Part {
  readonly from: number;
  readonly end: number;
  readonly related: RelatedObjects;
}

/**
 * Objects of a list for a template. What the template loads is limited for all of them together; of a long list, for the
 * current part and everything else that is in use.
 */
export class ListParts {
  readonly #left = { ...loadLimits };
  /** Objects that the whole rendering uses. */
  readonly related: RelatedObjects;
  readonly #stock: LoadStock;
  #parts: readonly Part[] = [];

  constructor(private readonly list: RenderedList) {
    this.related = new RelatedObjects(list.related, this.#left);
    const further = longExport.renderings - 1;
    const { statements, ms, looks } = loadLimits;
    this.#stock = { statements: statements * further, ms: ms * further, looks: looks * further };
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

  /**
   * Reads a part of a long list. Parts that a loop no longer uses are released. What was loaded for the previous part is
   * available again. Its rows and bytes are not if the template has stored objects.
   */
  async read({ from, isRetained }: Omit<RowsRequest, 'list'>): Promise<Rows> {
    const { model, objects } = this.list;
    const { items, lengths } = await objects.read(from);
    for (const { related } of this.#parts) related.refund(this.#stock, { isFreed: !isRetained });
    const isInUse = (part: Part): boolean => part.from < from && part.end > from - rowsInUse;
    for (const part of this.#parts) if (!isInUse(part)) part.related.release();
    const related = new RelatedObjects(this.list.related, this.#left);
    this.#parts = [...this.#parts.filter(isInUse), { from, end: from + items.length, related }];
    return { items: related.objectsOf(model, items.map(asJson)), lengths };
  }
}

function asJson(item: unknown): Json {
  return { ...Object(item) };
}
