import { LazyList, type RelatedList, type LazyListRows, type LazyListRowsRequest } from '@switchboard/templates';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import type { StoredJsonObjectList } from '../../engine/read/stored-object-list.js';
import { relatedLoadLimits, type RestorableAmounts, longExportLimitFactor } from './related/related-load-limits.js';
import { TemplateRelatedObjects, type RelatedObjectServices } from './related/related-objects.js';
import type { ObjectJson } from './related/related-row-loader.js';

/** List of objects that a template renders, and the services with which the template can read further data. */
export interface ObjectListToRender {
  readonly model: ModelDefinition;
  readonly objects: StoredJsonObjectList;
  readonly related: RelatedObjectServices;
}

/**
 * Maximum size of a list that is completely in memory while a template renders the list: number of objects, and bytes
 * of JSON text.
 */
export const maxTemplateListInMemory = { objects: 1000, bytes: 8_388_608 };

/**
 * Number of previous objects that a loop of a template may still use. A template processes one object of the list after
 * another.
 */
const objectsRetainedForLoops = 2;

/**
 * Objects of a long list that are in memory at the same time. `from` is the index of the first object, and `end` the
 * index after the last object.
 */
interface LoadedListSection {
  readonly from: number;
  readonly end: number;
  readonly related: TemplateRelatedObjects;
}

/**
 * Provides the objects of a list to a template. The amount of data that a template loads is limited for the whole list.
 * For a long list, the limit applies only to the objects that are in memory.
 */
export class LazyTemplateList {
  readonly #left = { ...relatedLoadLimits };
  /**
   * Related objects of those values that are available during the whole rendering, instead of during one section of the
   * list.
   */
  readonly related: TemplateRelatedObjects;
  readonly #stock: RestorableAmounts;
  #parts: readonly LoadedListSection[] = [];

  constructor(private readonly list: ObjectListToRender) {
    this.related = new TemplateRelatedObjects(list.related, this.#left);
    const further = longExportLimitFactor.renderings - 1;
    const { statements, ms, looks } = relatedLoadLimits;
    this.#stock = { statements: statements * further, ms: ms * further, looks: looks * further };
  }

  /** Returns the template variable `queryset`. If the list is long, a few hundred objects are read at a time. */
  async queryset(): Promise<LazyList | RelatedList> {
    const { objects, model } = this.list;
    const { count } = objects;
    if (count > maxTemplateListInMemory.objects || objects.bytes > maxTemplateListInMemory.bytes) {
      const { items } = await objects.readObjects(0);
      return new LazyList(count, this.related.toTemplateObjects(model, items.slice(0, 1).map(toTemplateJsonObject))[0]);
    }
    const all: ObjectJson[] = [];
    while (all.length < count) all.push(...(await objects.readObjects(all.length)).items.map(toTemplateJsonObject));
    return this.related.toTemplateList(model, all);
  }

  /**
   * Reads the next objects of a long list. Releases the memory of objects that a loop no longer uses. The statements
   * and the time that the released objects needed no longer count toward the limits. Their rows and bytes no longer
   * count either, unless the template has stored objects in variables.
   */
  async readNextSection({ from, isRetained }: Omit<LazyListRowsRequest, 'list'>): Promise<LazyListRows> {
    const { model, objects } = this.list;
    const { items, lengths } = await objects.readObjects(from);
    for (const { related } of this.#parts) related.restoreLimits(this.#stock, { isFreed: !isRetained });
    const isInUse = (part: LoadedListSection): boolean => part.from < from && part.end > from - objectsRetainedForLoops;
    for (const part of this.#parts) if (!isInUse(part)) part.related.releaseUnusedObjects();
    const related = new TemplateRelatedObjects(this.list.related, this.#left);
    this.#parts = [...this.#parts.filter(isInUse), { from, end: from + items.length, related }];
    return { items: related.toTemplateObjects(model, items.map(toTemplateJsonObject)), lengths };
  }
}

function toTemplateJsonObject(item: unknown): ObjectJson {
  return { ...Object(item) };
}
