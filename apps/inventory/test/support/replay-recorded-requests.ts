import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { modelRegistry } from '../../src/models/index.js';
import type { LightMyRequestResponse } from 'fastify';
import type { TestInventory } from './test-service.js';
import { drawingFacts, withNumbers } from './parse-svg-drawing.js';
import { addressOf, collectionOf } from './recorded-object-urls.js';
import { collectionFor, isId } from './recorded-id-lists.js';
import { formOf, picture } from './create-object-by-api.js';

/** A recorded request to the reference server, with the recorded response. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  readonly response?: unknown;
  readonly request_id?: string;
  readonly note?: string;
  /** True if the recording contains only some fields of the response. */
  readonly fields_only?: boolean;
  /** Name of the user who sends the request. Absent if the superuser sends the request. */
  readonly as?: string;
  /** Value of the request header `Accept`. */
  readonly accept?: string;
  /** Headers of the recorded response, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A sequence of recorded requests that depend on one another. */
export interface RecordedRequestSequence {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** Returns the sequences of a recording, read from a file of the folder `reference/recordings`. */
export function readRecording(name: string): readonly RecordedRequestSequence[] {
  const file = new URL(`../reference/recordings/${name}.json.gz`, import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as readonly RecordedRequestSequence[];
}

/** Names of fields whose values differ between two recordings of the same server. */
const unsteady = new Set(['created', 'last_updated', 'time', 'request_id', 'user', 'user_name', 'next', 'previous']);

/**
 * Regular expression of requests for lists of module bays. The reference server sorts these lists by the tree of bays,
 * and this service sorts them by name.
 */
const bayLists = /^\/api\/dcim\/module-bays\/\?/u;

/**
 * Regular expression of requests for lists of change records. The order of the records differs, because the reference
 * server deletes dependent objects in a different order.
 */
const changeLists = /^\/api\/core\/object-changes\/\?/u;

/**
 * Regular expression of the paths of port mappings within a response. The reference server returns port mappings in
 * undefined order.
 */
const mappingLists = /\.(?:front|rear)_ports$/u;

/**
 * Sends the requests of a recording to this service, and compares the responses. The ids of objects may differ from the
 * recorded ids.
 */
export class Replay {
  /** Ids of objects on this server, by the API list and the id of the object in the recording. */
  readonly #ids = new Map<string, Map<number, number>>();
  readonly #requestIds = new Map<string, string>();
  /** API tokens of the users that the replay has created, by user name. */
  readonly #tokens = new Map<string, string>();

  /** @param onPurpose patterns of intended differences, which have the form `<method> <path> <difference>` */
  constructor(
    private readonly test: TestInventory,
    private readonly onPurpose: readonly RegExp[] = [],
  ) {}

  /** Sends the request of a step. Returns the differences between the response and the recorded response. */
  async differences(step: Step): Promise<string[]> {
    const response = await this.#send(step);
    const requestId = response.headers['x-request-id'];
    if (step.request_id !== undefined && typeof requestId === 'string')
      this.#requestIds.set(step.request_id, requestId);
    const isDrawing = response.headers['content-type'] === 'image/svg+xml';
    const actual: unknown = isDrawing ? { svg: withNumbers(drawingFacts(response.body)) } : parsed(response);
    if (response.statusCode !== step.status)
      return [`status ${response.statusCode}, not ${step.status}: ${response.body.slice(0, 300)}`];
    const recorded = isDrawing ? withNumbers(step.response) : (step.response ?? null);
    const [was, is] = [recorded, actual].map((list) => sorted(step.path, list));
    if (step.method === 'POST') {
      this.#learnNew(collectionOf(step.path), step.response, actual);
      await this.#learnToken(step.body, actual);
    }
    if (collectionOf(step.path) === 'core/data-files') this.#learnNew('core/data-files', resultsOf(was), resultsOf(is));
    const differences = this.#compare(was, is, '', step.fields_only === true);
    return this.#unintended(step, [...differences, ...headerDifferences(step, response)]);
  }

  /**
   * Returns the differences between a request body that this service sent to a webhook and the recorded request body.
   */
  webhookDifferences(step: Step, body: unknown): string[] {
    return this.#unintended(step, this.#compare(step.response, body, '', false));
  }

  #unintended({ method, path }: Step, differences: readonly string[]): string[] {
    return differences.filter(
      (difference) => !this.onPurpose.some((pattern) => pattern.test(`${method} ${path} ${difference}`)),
    );
  }

  async #send({ method, path, body, as, accept }: Step): Promise<LightMyRequestResponse> {
    const token = as === undefined ? this.test.adminToken : this.#tokens.get(as);
    const content = body === undefined || body === null ? null : (this.#body(body, collectionOf(path)) as object);
    const form = isObject(content) && Object.values(content).some(isFile) ? await formOf(withFiles(content)) : null;
    return this.test.fastify.inject({
      method: method as 'GET',
      url: this.#url(path),
      headers: {
        authorization: `Bearer ${String(token)}`,
        host: 'reference',
        ...(accept === undefined ? {} : { accept }),
        ...form?.headers,
      },
      ...(content === null ? {} : { payload: form?.payload ?? content }),
    });
  }

  #compare(recorded: unknown, actual: unknown, path: string, isPartial: boolean): string[] {
    if (Array.isArray(recorded) && Array.isArray(actual)) {
      if (mappingLists.test(path)) return this.#compareMappings(recorded, actual, path);
      if (recorded.length !== actual.length) return [`${path}: ${actual.length} items, not ${recorded.length}`];
      if (recorded.every(isCablePath)) return this.#compareCablePaths(recorded, actual, path, isPartial);
      return recorded.flatMap((item, index) => this.#compare(item, actual[index], `${path}[${index}]`, isPartial));
    }
    // Reduced recordings contain only the values of choices.
    if (isPartial && !isObject(recorded) && isObject(actual) && Object.hasOwn(actual, 'value')) {
      return this.#compare(recorded, actual['value'], path, true);
    }
    if (isObject(recorded) && isObject(actual)) return this.#compareObjects(recorded, actual, path, isPartial);
    const port = /\.(?<side>front|rear)_port$/u.exec(path)?.groups?.['side'];
    // Port mappings contain ports only as ids.
    if (port !== undefined && typeof recorded === 'number' && typeof actual === 'number') {
      this.#keep(`dcim/${port}-ports`, recorded, actual);
    }
    return this.#isSame(recorded, actual, nameOf(path))
      ? []
      : [`${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(recorded)}`];
  }

  /** Returns the differences between recorded and actual port mappings. Each position has at most one port mapping. */
  #compareMappings(recorded: readonly unknown[], actual: readonly unknown[], path: string): string[] {
    const byPosition = (mappings: readonly unknown[]): unknown[] =>
      mappings.toSorted((one, other) => positionOf(one) - positionOf(other));
    const [was, is] = [byPosition(recorded), byPosition(actual)];
    if (was.length !== is.length) return [`${path}: ${is.length} items, not ${was.length}`];
    return was.flatMap((mapping, index) => this.#compare(mapping, is[index], `${path}[${index}]`, false));
  }

  /** Returns the differences between recorded and actual cable paths. The order of the cable paths does not matter. */
  #compareCablePaths(
    recorded: readonly unknown[],
    actual: readonly unknown[],
    path: string,
    isPartial: boolean,
  ): string[] {
    const left = [...actual];
    return recorded.flatMap((item, index) => {
      const same = left.findIndex((other) => this.#compare(item, other, path, isPartial).length === 0);
      const [other] = left.splice(Math.max(0, same), 1);
      return same === -1 ? this.#compare(item, other, `${path}[${index}]`, isPartial) : [];
    });
  }

  #compareObjects(recorded: JsonObject, actual: JsonObject, path: string, isPartial: boolean): string[] {
    this.#learn(recorded, actual);
    const names = isPartial ? Object.keys(recorded) : [...new Set([...Object.keys(recorded), ...Object.keys(actual)])];
    return names
      .filter((name) => !unsteady.has(name) && !(name === 'id' && isShownWithoutAddress(recorded)))
      .flatMap((name) => {
        if (!Object.hasOwn(recorded, name)) return [`${path}.${name}: not recorded`];
        if (!Object.hasOwn(actual, name)) return [`${path}.${name}: missing`];
        return this.#compare(recorded[name], actual[name], `${path}.${name}`, isPartial);
      });
  }

  /** Stores the id on this server for each recorded id, for objects that both responses contain with their URL. */
  #learn(recorded: JsonObject, actual: JsonObject): void {
    const changed = modelRegistry.find(String(recorded['changed_object_type']));
    if (changed !== null && recorded['object_repr'] === actual['object_repr']) {
      this.#keep(changed.path, Number(recorded['changed_object_id']), Number(actual['changed_object_id']));
    }
    const [was, is] = [addressOf(recorded['url']), addressOf(actual['url'])];
    if (was === null || is === null || was.collection !== is.collection) return;
    this.#keep(was.collection, was.id, is.id);
  }

  /**
   * Stores the ids on this server of new objects, for their recorded ids. Needed for reduced responses, which contain
   * new objects without their URL.
   */
  #learnNew(collection: string, recorded: unknown, actual: unknown): void {
    const [was, is] = [[recorded].flat(), [actual].flat()];
    for (const [index, item] of was.entries()) {
      const other = is[index];
      if (isObject(item) && isObject(other) && typeof item['id'] === 'number' && typeof other['id'] === 'number') {
        this.#keep(collection, item['id'], other['id']);
      }
    }
  }

  /** Creates an API token for a new user, so that later steps can send requests as this user. */
  async #learnToken(body: unknown, actual: unknown): Promise<void> {
    if (!isObject(body) || !isObject(actual) || typeof body['password'] !== 'string') return;
    this.#tokens.set(String(body['username']), await this.test.tokenOf(Number(actual['id'])));
  }

  #keep(collection: string, recorded: number, actual: number): void {
    const ids = this.#ids.get(collection) ?? new Map<number, number>();
    this.#ids.set(collection, ids);
    if (!ids.has(recorded)) ids.set(recorded, actual);
  }

  #isSame(recorded: unknown, actual: unknown, name: string): boolean {
    if (recorded === actual) return true;
    if (typeof recorded === 'number' && typeof actual === 'number') {
      return isId(name) && this.#isMapped(recorded, actual);
    }
    if (typeof recorded !== 'string' || typeof actual !== 'string') return false;
    const [was, is] = [addressOf(recorded), addressOf(actual)];
    if (was !== null && is !== null)
      return was.collection === is.collection && this.#ids.get(was.collection)?.get(was.id) === is.id;
    const numbers = (text: string): number[] => (text.match(/\d+/gu) ?? []).map(Number);
    const [wasNumbers, isNumbers] = [numbers(recorded), numbers(actual)];
    return (
      recorded.replaceAll(/\d+/gu, '#') === actual.replaceAll(/\d+/gu, '#') &&
      wasNumbers.every((number, index) => number === isNumbers[index] || this.#isMapped(number, isNumbers[index] ?? -1))
    );
  }

  #isMapped(recorded: number, actual: number): boolean {
    return [...this.#ids.values()].some((ids) => ids.get(recorded) === actual);
  }

  #idIn(collection: string, id: number): number {
    return this.#ids.get(collection)?.get(id) ?? id;
  }

  #url(path: string): string {
    const [address = '', query] = path.split('?', 2);
    const parts = addressOf(address);
    const own =
      parts === null ? address : `/api/${parts.collection}/${this.#idIn(parts.collection, parts.id)}/${parts.rest}`;
    if (query === undefined) return own;
    const parameters = query.split('&').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      if (name === 'request_id') return `${name}=${this.#requestIds.get(value) ?? value}`;
      const collection = collectionFor(name, collectionOf(path));
      return collection === null || !/^\d+$/u.test(value) ? pair : `${name}=${this.#idIn(collection, Number(value))}`;
    });
    return `${own}?${parameters.join('&')}`;
  }

  #body(value: unknown, collection: string, name = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#body(item, collection, name));
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => {
          const type = modelRegistry.find(String(value[key.replace(/_id$/u, '_type')]));
          const isGeneric = key.endsWith('_id') && type !== null && typeof item === 'number';
          return [key, isGeneric ? this.#idIn(type.path, item) : this.#body(item, collection, key)];
        }),
      );
    }
    const target = name === 'id' ? collection : collectionFor(name, collection);
    return typeof value === 'number' && target !== null ? this.#idIn(target, value) : value;
  }
}

/** Returns the objects in the response to a list request. */
function resultsOf(list: unknown): unknown {
  return isObject(list) ? list['results'] : [];
}

function parsed({ body, headers }: LightMyRequestResponse): unknown {
  if (!String(headers['content-type'] ?? 'json').includes('json')) return body;
  return body === '' ? null : JSON.parse(body);
}

/** Returns the differences between the recorded headers and the headers of a response that is a text or a file. */
function headerDifferences({ headers = {} }: Step, response: LightMyRequestResponse): string[] {
  return Object.entries(headers).flatMap(([name, recorded]) => {
    const actual = response.headers[name.toLowerCase()];
    const isSame = actual === recorded || (recorded === 'application/json' && String(actual).startsWith(recorded));
    return isSame ? [] : [`${name}: ${String(actual)}, not ${recorded}`];
  });
}

/** Returns true if a value in a recorded form is a placeholder for a file. */
function isFile(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('FILE ');
}

/** Returns a form in which pictures replace placeholders such as `FILE face.png (image/png, 1x1)`. */
function withFiles(body: JsonObject): Record<string, unknown> {
  const entries = Object.entries(body);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isFile(value) ? picture(String(value).split(' ')[1] ?? '') : value]),
  );
}

/** Returns the last member name in a path such as `.results[0].device.id`. */
function nameOf(path: string): string {
  return /(?<name>\w+)(?:\[\d+\])*$/u.exec(path)?.groups?.['name'] ?? '';
}

function isCablePath(item: unknown): boolean {
  return isObject(item) && item['is_split'] !== undefined;
}

/**
 * Returns true if a recorded object is a change record, a cable path or a reduced cable termination. The ids of such
 * objects occur in no other response.
 */
function isShownWithoutAddress(recorded: JsonObject): boolean {
  return (
    recorded['changed_object_type'] !== undefined ||
    recorded['is_split'] !== undefined ||
    (recorded['cable_end'] !== undefined && recorded['url'] === undefined)
  );
}

/**
 * Returns a list in a fixed order if its order differs from the reference server. Module bays are sorted by name, and
 * deletions by the deleted object.
 */
function sorted(path: string, list: unknown): unknown {
  const results: unknown = isObject(list) ? list['results'] : null;
  if (!Array.isArray(results) || !results.every(isObject)) return list;
  const isDeletion = ({ action }: JsonObject): boolean =>
    action === 'delete' || (isObject(action) && action['value'] === 'delete');
  const key = (item: JsonObject): string =>
    bayLists.test(path)
      ? String(item['name'])
      : `${String(item['changed_object_type'])} ${String(item['changed_object_id']).padStart(9, '0')}`;
  const isSorted = bayLists.test(path) || (changeLists.test(path) && results.every(isDeletion));
  return isSorted
    ? { ...Object(list), results: results.toSorted((one, other) => (key(one) < key(other) ? -1 : 1)) }
    : list;
}

function positionOf(mapping: unknown): number {
  return isObject(mapping) ? Number(mapping['position']) : 0;
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
