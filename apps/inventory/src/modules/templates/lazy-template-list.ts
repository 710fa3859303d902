import { LazyList, type RelatedList, type LazyListRows, type LazyListRequest } from '@switchboard/templates';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import type { StoredJsonObjectList } from '../../engine/read/stored-object-list.js';
import { relatedLoadLimits, type RestorableAmounts, longExportLimits } from './related/related-load-limits.js';
import { RelatedObjects, type RelatedServices } from './related/related-objects.js';
import type { ObjectJson } from './related/related-row-loader.js';

/** List of objects to render with a template, and the services with which the template can read further data. */
export interface ListToRender {
  readonly model: ModelDefinition;
  readonly objects: StoredJsonObjectList;
  readonly related: RelatedServices;
}

/**
 * Maximum size of a list that stays in memory as a whole while a template renders it, in objects and in bytes of JSON
 * text.
 */
export const maxListInMemory = { objects: 1000, bytes: 8_388_608 };

/** Number of objects before the current one that a loop of a template may still use. */
const objectsRetainedForLoops = 2;

/**
 * Objects of a long list that are in memory together, with the index of the first one and the index after the last one.
 */
interface LoadedListSection {
  readonly from: number;
  readonly end: number;
  readonly related: RelatedObjects;
}

/**
 * Provides the objects of a list to a template. What the template loads is limited for the whole list. In a long list
 * the limit applies to the objects that are in memory.
 */
export class TemplateList {
  readonly #left = { ...relatedLoadLimits };
  /** Related objects of values that the whole rendering uses. */
  readonly related: RelatedObjects;
  readonly #stock: RestorableAmounts;
  #parts: readonly LoadedListSection[] = [];

  constructor(private readonly list: ListToRender) {
    this.related = new RelatedObjects(list.related, this.#left);
    const further = longExportLimits.renderings - 1;
    const { statements, ms, looks } = relatedLoadLimits;
    this.#stock = { statements: statements * further, ms: ms * further, looks: looks * further };
  }

  /** Returns the template variable `queryset`. A long list is read a few hundred objects at a time. */
  async queryset(): Promise<LazyList | RelatedList> {
    const { objects, model } = this.list;
    const { count } = objects;
    if (count > maxListInMemory.objects || objects.bytes > maxListInMemory.bytes) {
      const { items } = await objects.read(0);
      return new LazyList(count, this.related.toTemplateObjects(model, items.slice(0, 1).map(toTemplateJsonObject))[0]);
    }
    const all: ObjectJson[] = [];
    while (all.length < count) all.push(...(await objects.read(all.length)).items.map(toTemplateJsonObject));
    return this.related.toTemplateList(model, all);
  }

  /**
   * Reads the next objects of a long list, and releases objects that a loop no longer uses. The limits on statements
   * and time that the released objects used up are restored, and those on rows and bytes unless the template has stored
   * objects.
   */
  async readSection({ from, isRetained }: Omit<LazyListRequest, 'list'>): Promise<LazyListRows> {
    const { model, objects } = this.list;
    const { items, lengths } = await objects.read(from);
    for (const { related } of this.#parts) related.restoreLimits(this.#stock, { isFreed: !isRetained });
    const isInUse = (part: LoadedListSection): boolean => part.from < from && part.end > from - objectsRetainedForLoops;
    for (const part of this.#parts) if (!isInUse(part)) part.related.release();
    const related = new RelatedObjects(this.list.related, this.#left);
    this.#parts = [...this.#parts.filter(isInUse), { from, end: from + items.length, related }];
    return { items: related.toTemplateObjects(model, items.map(toTemplateJsonObject)), lengths };
  }
}

function toTemplateJsonObject(item: unknown): ObjectJson {
  return { ...Object(item) };
}
