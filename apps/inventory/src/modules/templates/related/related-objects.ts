import { FloatValue, PendingLoad, RelatedList, TemplateMethod, TemplateObject } from '@switchboard/templates';
import type { AnyModelField } from '../../../engine/declaration/field.js';
import type { ModelDefinition } from '../../../engine/declaration/define-model.js';
import { RelatedObjectBatch } from './related-object-batch.js';
import { type RelatedLoadAmounts, relatedLoadLimits, type RestorableAmounts } from './related-load-limits.js';
import { findHierarchyMethod } from './hierarchy-methods.js';
import { toNetworkText } from './network-text-members.js';
import { PowerDrawCalculator } from './compute-power-draws.js';
import {
  replaceNullWithEmptyList,
  type SuppliedPowerPorts,
  findPowerTemplateMember,
} from './power-template-members.js';
import { getQuerySetName } from './query-set-names.js';
import type { ReverseRelation, ModelRelationFinder } from './find-relations.js';
import { type ObjectJson, RelatedRowLoader, type RelatedRowServices } from './related-row-loader.js';
import { DataSourceTemplateFiles, type TemplateDataFile } from '../data-source-template-files.js';
import { getFieldNameOfMember, listUsedFieldNames } from './used-field-names.js';

/** Services of {@link TemplateRelatedObjects}, and the field names that occur in the code of the template (`usedNames`). */
export interface RelatedObjectServices extends RelatedRowServices {
  readonly relations: ModelRelationFinder;
  readonly usedNames: Set<string>;
}

/** Path of member names that leads to a value inside the JSON of each object of a batch. */
interface JsonValuePath {
  readonly batch: RelatedObjectBatch;
  readonly path: readonly string[];
}

/** Types of fields whose lists have query methods in templates, such as `filter()`. */
const relationListKinds = new Set(['many', 'reverse', 'tags']);

/**
 * Names of apps whose objects templates cannot load. A template sees only the fields that other objects show of such an
 * object.
 */
const appsHiddenFromTemplates = new Set(['users']);

/**
 * Creates the template objects of one rendering, and loads related objects. A template object initially contains the
 * JSON that the API shows. Other fields, and the objects that refer to the object, are read when the template uses
 * them. One SQL statement reads the data for all objects of the batch. Objects that the user may not view are not
 * found.
 */
export class TemplateRelatedObjects {
  readonly #loader: RelatedRowLoader;
  #draws: PowerDrawCalculator;
  /**
   * Batches of objects that the template did not reach through other objects, such as the objects of the rendered list.
   */
  readonly #roots: RelatedObjectBatch[] = [];
  /**
   * Values of additional fields of objects, by type and id of the object. Null for an object that the user may not
   * view.
   */
  readonly #known = new Map<string, ObjectJson | null>();

  /** @param left amounts that all related objects of one rendering may still load */
  constructor(
    private readonly services: RelatedObjectServices,
    left: RelatedLoadAmounts = { ...relatedLoadLimits },
  ) {
    this.#loader = new RelatedRowLoader(services, left);
    this.#draws = new PowerDrawCalculator(this.#loader);
  }

  /**
   * Adds back to the limits of the rendering the amounts that these objects have used for loading; see
   * {@link RelatedRowLoader.restoreUsedAmounts}.
   */
  restoreLimits(stock: RestorableAmounts, options: { readonly isFreed: boolean }): void {
    this.#loader.restoreUsedAmounts(stock, options);
  }

  /**
   * Releases the memory of objects that are no longer in use. If the template has stored such an object in a variable,
   * the object retains the fields that were read, but cannot load further data.
   */
  releaseUnusedObjects(): void {
    this.#loader.rejectFurtherStatements();
    this.#known.clear();
    this.#draws = new PowerDrawCalculator(this.#loader);
    const batches = this.#roots.splice(0);
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) batches.push(...batch.releaseMemory());
  }

  /**
   * Returns the files that a template can include. Fields of objects that the files use are read together with the
   * fields that the template uses.
   */
  templateFiles(file: TemplateDataFile | null): DataSourceTemplateFiles {
    return new DataSourceTemplateFiles(this.#loader, file, (code) => {
      for (const name of listUsedFieldNames(code)) this.services.usedNames.add(name);
    });
  }

  /** Returns the objects of a model in the form of template objects. */
  toTemplateObjects(model: ModelDefinition, objects: readonly ObjectJson[]): readonly TemplateObject[] {
    const batch = new RelatedObjectBatch(model, () => objects);
    this.#roots.push(batch);
    return objects.map((json) => this.#toTemplateObject(json, batch));
  }

  /** Returns the objects of a model in the form of a list that templates can use. */
  toTemplateList(model: ModelDefinition, objects: readonly ObjectJson[]): RelatedList {
    const rows = this.toTemplateObjects(model, objects);
    return new RelatedList({ rows: () => rows, typeName: getQuerySetName(model) });
  }

  /**
   * Returns the template variables that contain all models, by app. For example, `dcim.Device.objects` is the list of
   * all devices.
   */
  templateModels(): Readonly<Record<string, unknown>> {
    const apps = new Map<string, [string, TemplateObject][]>();
    for (const model of this.services.registry.servedModels) {
      const { app, objectName } = model;
      if (appsHiddenFromTemplates.has(app)) continue;
      const named = new TemplateObject(`<class '${app}.${objectName}'>`, () => ({ objects: this.#listAll(model) }));
      apps.set(app, [...(apps.get(app) ?? []), [objectName, named]]);
    }
    return Object.fromEntries([...apps].map(([app, models]) => [app, Object.fromEntries(models)]));
  }

  #listAll(model: ModelDefinition): RelatedList {
    let objects: readonly ObjectJson[] | null = null;
    let count: number | null = null;
    const batch = new RelatedObjectBatch(model, () => objects ?? []);
    const read = async (): Promise<void> => {
      const rows = await this.#loader.readAllObjects(model, this.#usedFields(model, 'id'));
      objects = rows.map(({ json }) => json);
    };
    const readCount = async (): Promise<void> => {
      count = await this.#loader.countAllObjects(model);
    };
    return new RelatedList({
      rows: () => objects?.map((json) => this.#toTemplateObject(json, batch)) ?? new PendingLoad(read),
      count: () => objects?.length ?? count ?? new PendingLoad(readCount),
      typeName: getQuerySetName(model),
    });
  }

  #toTemplateObject(json: ObjectJson, batch: RelatedObjectBatch): TemplateObject {
    const { model } = batch;
    const described = (): ObjectJson =>
      Object.fromEntries(Object.entries(json).map(([name, value]) => [name, this.#field(value, name, batch)]));
    const text = typeof json['display'] === 'string' ? json['display'] : '';
    return new TemplateObject(text, described, {
      typeName: model.objectName,
      identity: createObjectKey(model, json),
      find: (name) => this.#findMember(json, name, batch),
    });
  }

  #field(shown: unknown, name: string, batch: RelatedObjectBatch): unknown {
    const value = replaceNullWithEmptyList(name, shown);
    const { kind = '', relation, metadata } = findFieldByTemplateName(batch.model, name) ?? {};
    // JSON of users may look like an object of the API, but is none.
    if (kind === 'json' || name === 'config_context') return value;
    if (kind === 'customFields' && isJsonObject(value)) return this.#customFields(value, { batch, path: [name] });
    if ((kind === 'inet' || kind === 'cidr') && typeof value === 'string') return toNetworkText(value);
    // Decimal numbers are written with all decimal places of their field.
    if (kind === 'decimal' && typeof value === 'number')
      return new FloatValue(value, Number(metadata?.['decimal_places']));
    const found = this.#toTemplateValue(value, { batch, path: [name] });
    if (!relationListKinds.has(kind) || !Array.isArray(found)) return found;
    const target = this.services.registry.find(relation?.targets[0] ?? 'extras.tag');
    return new RelatedList({ rows: () => found, ...(target === null ? {} : { typeName: getQuerySetName(target) }) });
  }

  #customFields(values: ObjectJson, { batch, path }: JsonValuePath): ObjectJson {
    const fields = this.services.shapes.customFields.getFieldsOfModel(batch.model.type);
    const referring = new Set(fields.flatMap(({ name, relatedType }) => (relatedType === null ? [] : [name])));
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        referring.has(name) ? this.#toTemplateValue(value, { batch, path: [...path, name] }) : value,
      ]),
    );
  }

  #toTemplateValue(value: unknown, position: JsonValuePath): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#toTemplateValue(item, position));
    if (typeof value !== 'object' || value === null) return value;
    const json: ObjectJson = { ...value };
    const model = this.#modelOf(json);
    if (model !== null) return this.#toTemplateObject(json, this.#nestedBatch(position, model));
    const described = (): ObjectJson =>
      Object.fromEntries(
        Object.entries(json).map(([name, item]) => [
          name,
          this.#toTemplateValue(item, { ...position, path: [...position.path, name] }),
        ]),
      );
    if (isChoiceValue(json)) return new TemplateObject(toScalarValue(json['value']), described);
    return 'id' in json && typeof json['display'] === 'string'
      ? new TemplateObject(json['display'], described)
      : described();
  }

  #nestedBatch({ batch, path }: JsonValuePath, model: ModelDefinition): RelatedObjectBatch {
    const [first = '', ...rest] = path;
    return batch.getNestedBatch(path.join('.'), model, (object) => {
      const shown = this.#known.get(createObjectKey(batch.model, object))?.[first] ?? object[first];
      return listObjectsAtPath(shown, rest).filter((one) => this.#modelOf(one) === model);
    });
  }

  /** Returns the value of a member of a template object, if the JSON of the object does not contain the member. */
  #findMember(json: ObjectJson, name: string, batch: RelatedObjectBatch): unknown {
    const field = getFieldNameOfMember(name);
    if (field !== name) return this.#resolveAlias(json, name, batch);
    const relation =
      findFieldByTemplateName(batch.model, name) === undefined
        ? this.services.relations.findRelation(batch.model, name)
        : null;
    if (relation !== null && !appsHiddenFromTemplates.has(relation.model.app))
      return this.#referringList(json, relation, batch);
    const hierarchy = findHierarchyMethod(this.services.registry, batch.model, name);
    if (hierarchy !== null) {
      return new TemplateMethod(name, (given) => {
        const { relation: found, isReversed } = hierarchy(given);
        const list = this.#referringList(json, found, batch);
        return isReversed && list instanceof RelatedList ? list.selectItems([...list.items.keys()].toReversed()) : list;
      });
    }
    const own = { id: Number(json['id']), name, batch, looks: this.#loader };
    const power = findPowerTemplateMember(this.#draws, own, (ports) => this.#suppliedPortList(ports));
    if (power !== undefined) return power;
    const found = this.#additionalField(json, name, batch);
    return found === undefined || found instanceof PendingLoad ? found : this.#field(found, name, batch);
  }

  /**
   * Returns a list of the power ports with the given ids. The first use reads together all ports that the power ports
   * of the batch supply.
   */
  #suppliedPortList({ batch, ids, all }: SuppliedPowerPorts): RelatedList {
    const { model } = batch;
    const referring = batch.getReferringObjects('get_downstream_powerports', model);
    const make = (one: ObjectJson, its: RelatedObjectBatch): TemplateObject => this.#toTemplateObject(one, its);
    const load = async (): Promise<void> => {
      const unread = referring.listUnreadOwnerIds([...ids, ...(await all())]);
      referring.addReferringRows(
        unread,
        await this.#loader.readObjectsByIds(model, unread, this.#usedFields(model, 'id')),
      );
    };
    return new RelatedList({
      rows: () => {
        const found = ids.map((id) => referring.getReferringObjects(id, make));
        return found.includes(undefined) ? new PendingLoad(load) : found.flatMap((objects) => objects ?? []);
      },
      count: () => ids.length,
      typeName: getQuerySetName(model),
    });
  }

  #resolveAlias(json: ObjectJson, name: string, batch: RelatedObjectBatch): unknown {
    const field = getFieldNameOfMember(name);
    if (!Object.hasOwn(json, field) && findFieldByTemplateName(batch.model, field) === undefined) return undefined;
    const value = (): unknown => (Object.hasOwn(json, field) ? json[field] : this.#additionalField(json, field, batch));
    if (!name.startsWith('get_')) {
      const found = value();
      return found === undefined || found instanceof PendingLoad ? found : this.#field(found, field, batch);
    }
    return new TemplateMethod(name, () => {
      const found = value();
      return isJsonObject(found) && isChoiceValue(found) ? found['label'] : found;
    });
  }

  /**
   * Returns the value of a field that the object's JSON does not contain. If the field has not been read, returns a
   * {@link PendingLoad} that reads the field.
   */
  #additionalField(json: ObjectJson, name: string, batch: RelatedObjectBatch): unknown {
    const field = findFieldByTemplateName(batch.model, name);
    if (field === undefined || !isReadableField(batch.model, name) || appsHiddenFromTemplates.has(batch.model.app))
      return undefined;
    const known = this.#known.get(createObjectKey(batch.model, json));
    // An object that the user may not view behaves like one without values.
    if (known === null) return relationListKinds.has(field.kind) ? [] : null;
    if (known !== undefined && Object.hasOwn(known, name)) return known[name];
    const fields = known === undefined ? this.#usedFields(batch.model, name) : [name];
    return new PendingLoad(() => this.#loadFields(batch, Number(json['id']), fields));
  }

  /**
   * Returns the names of the fields that are read together for objects of a model. Fields that take long to compute are
   * included only if the template needs them now.
   */
  #usedFields(model: ModelDefinition, needed: string): readonly string[] {
    const used = Object.entries(model.fields).flatMap(([name, { traits }]) =>
      this.services.usedNames.has(name) && !traits.excludable && isReadableField(model, name) ? [name] : [],
    );
    return [...new Set(['id', 'url', 'display', ...used, needed])];
  }

  /** Reads the given fields of all objects of a batch, except objects whose fields have already been read. */
  async #loadFields(batch: RelatedObjectBatch, own: number, fields: readonly string[]): Promise<void> {
    const { model } = batch;
    const isRead = (id: number): boolean => {
      const known = this.#known.get(`${model.type} ${id}`);
      return known === null || (known !== undefined && fields.every((field) => Object.hasOwn(known, field)));
    };
    const ids = (await batch.listIdsIncluding(own, this.#loader)).filter((id) => !isRead(id));
    const rows = await this.#loader.readObjectsByIds(model, ids, ['id', ...fields]);
    const found = new Map(rows.map(({ json }) => [Number(json['id']), json]));
    for (const id of ids) {
      const key = `${model.type} ${id}`;
      const json = found.get(id);
      this.#known.set(key, json === undefined ? null : { ...this.#known.get(key), ...json });
    }
  }

  #referringList(json: ObjectJson, relation: ReverseRelation, batch: RelatedObjectBatch): unknown {
    const { name, model, isSingle } = relation;
    const id = Number(json['id']);
    const referring = batch.getReferringObjects(name, model);
    const make = (one: ObjectJson, its: RelatedObjectBatch): TemplateObject => this.#toTemplateObject(one, its);
    const load = async (): Promise<void> => {
      const ids = referring.listUnreadOwnerIds(await batch.listIdsIncluding(id, this.#loader));
      referring.addReferringRows(
        ids,
        await this.#loader.readReferringObjects(relation, ids, this.#usedFields(model, 'id')),
      );
    };
    const count = async (): Promise<void> => {
      const ids = await batch.listIdsIncluding(id, this.#loader);
      referring.addReferringCounts(ids, await this.#loader.countReferringObjects(relation, ids));
    };
    const rows = (): readonly TemplateObject[] | PendingLoad =>
      referring.getReferringObjects(id, make) ?? new PendingLoad(load);
    if (isSingle) {
      const found = rows();
      return found instanceof PendingLoad ? found : found[0];
    }
    return new RelatedList({
      rows,
      count: () => referring.getReferringCount(id) ?? new PendingLoad(count),
      typeName: getQuerySetName(model),
    });
  }

  /**
   * Returns the model of a nested object, which the URL in the object's JSON identifies. Returns null for other values.
   */
  #modelOf({ id, url, display }: ObjectJson): ModelDefinition | null {
    if (!Number.isSafeInteger(id) || typeof url !== 'string' || typeof display !== 'string') return null;
    const [, app = '', path = ''] = /\/api\/([\w-]+)\/([\w-]+)\/\d+\/$/.exec(url) ?? [];
    return appsHiddenFromTemplates.has(app) ? null : this.services.registry.findByPath(`${app}/${path}`);
  }
}

function createObjectKey({ type }: ModelDefinition, { id }: ObjectJson): string {
  return `${type} ${Number(id)}`;
}

/** Returns the JSON objects at a path of member names inside a value, including the objects in lists. */
function listObjectsAtPath(value: unknown, path: readonly string[]): readonly ObjectJson[] {
  if (Array.isArray(value)) return value.flatMap((item) => listObjectsAtPath(item, path));
  if (!isJsonObject(value)) return [];
  const [first, ...rest] = path;
  if (first === undefined) return [value];
  return Object.hasOwn(value, first) ? listObjectsAtPath(value[first], rest) : [];
}

function isJsonObject(value: unknown): value is ObjectJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the field of a model that has the given name in a template. Ignores properties that the JavaScript object of
 * the fields inherits.
 */
function findFieldByTemplateName({ fields }: ModelDefinition, name: string): AnyModelField | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function isReadableField(model: ModelDefinition, name: string): boolean {
  const field = findFieldByTemplateName(model, name);
  return field !== undefined && !field.traits.writeOnly && field.sealed === undefined;
}

function isChoiceValue(fields: ObjectJson): boolean {
  return 'value' in fields && 'label' in fields && Object.keys(fields).length === 2;
}

function toScalarValue(value: unknown): string | number | boolean | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
