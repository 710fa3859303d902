import fc from 'fast-check';
import { acceptedHeaders, acceptedRequests } from './requests-expected-to-succeed.js';
import type { FuzzedOperation, Parameter } from './fuzzed-operations.js';
import { anyText, type Components, deepText, isText, type Schema, valueOf } from './random-schema-values.js';

/** Kinds of users that send the random requests. */
export const identities = ['owner', 'member', 'guest', 'bot', 'anonymous'] as const;

/** A random request, which may be valid or invalid. */
export interface FuzzedRequest {
  readonly identity: (typeof identities)[number];
  readonly method: FuzzedOperation['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
  /**
   * Sorted names of sent parameters that the endpoint does not define. Undefined if the generator intentionally
   * produced a malformed form.
   */
  readonly unknown: readonly string[] | undefined;
}

type Field = readonly [name: string, text: string];

const encodings = ['form', 'form', 'form', 'form', 'multipart', 'multipart', 'query', 'json', 'broken'] as const;
const strangers = ['zebra', 'apple', 'constructor', '__proto__', 'stream_idx'];
/** Maximum length in characters of a path segment that the router accepts. */
const longestPart = 100;
/** Maximum length in characters of a header value. The service limits the length of all headers together. */
const longestHeader = 2_000;
const boundary = 'ThisIsTheEnd';

/** Generates random requests to one endpoint: mostly valid, with a few arbitrary parameters. */
export function requestTo(operation: FuzzedOperation, components: Components): fc.Arbitrary<FuzzedRequest> {
  const { method, path, parameters } = operation;
  return fc
    .record({
      identity: fc.constantFrom('owner', ...identities),
      path: filledPath(operation),
      fields: fieldsOf(operation, components),
      headers: headersOf(operation, components),
      stranger: fc.option(fc.constantFrom(...strangers), { freq: 6 }),
      encoding: fc.constantFrom(...encodings),
      file: anyText,
      overrides: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
      repeats: fc.constantFrom(...Array.from({ length: 30 }, () => 1), 2, 50),
    })
    .map(({ identity, path: filled, fields: once, headers, stranger, encoding, file, overrides, repeats }) => {
      const fields = Array.from({ length: repeats }, () => once).flat();
      const known = new Set([...parameters.map(({ name }) => name), 'method', 'csrfmiddlewaretoken', 'client']);
      const all: Field[] = stranger === null ? fields : [...fields, [stranger, '1']];
      const isKept = encoding !== 'json' && encoding !== 'broken' && operation.fileType === undefined;
      const unknown = isKept ? [...new Set(all.map(([name]) => name))].filter((name) => !known.has(name)) : undefined;
      const overriding = overrides && method !== 'POST' && method !== 'HEAD' && path.startsWith('/api/');
      const sent = overriding
        ? encodeFields('form', [...all, ['method', method]])
        : bodyOf(operation, encoding, all, file);
      return {
        identity,
        method: overriding ? 'POST' : method,
        ...sent,
        headers: { ...sent.headers, ...headers },
        url: filled + sent.url,
        unknown,
      };
    });
}

function bodyOf(
  { method, fileType }: FuzzedOperation,
  encoding: (typeof encodings)[number],
  fields: readonly Field[],
  file: string,
) {
  if (fileType === 'multipart/form-data') return multipart(fields, encoding === 'query' ? undefined : file);
  if (fileType !== undefined && encoding !== 'query') return rawFile(fileType, file);
  return encodeFields(method === 'GET' || method === 'HEAD' ? 'query' : encoding, fields);
}

function encodeFields(encoding: (typeof encodings)[number], fields: readonly Field[]) {
  const text = new URLSearchParams(fields.map(([name, value]) => [name, value])).toString();
  const typed = (type: string, payload: string) => ({ url: '', headers: { 'content-type': type }, payload });
  if (encoding === 'query') return { url: text === '' ? '' : `?${text}`, headers: {} };
  if (encoding === 'multipart') return multipart(fields);
  if (encoding === 'json') return typed('application/json', JSON.stringify(Object.fromEntries(fields)));
  if (encoding === 'broken') return typed(`multipart/form-data; boundary=${boundary}`, `--${boundary}\r\n${text}`);
  return typed('application/x-www-form-urlencoded', text);
}

function multipart(fields: readonly Field[], file?: string) {
  const part = (name: string, value: string, more = '') =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value.toWellFormed()}\r\n`;
  const parts = fields.map(([name, value]) => part(name, value));
  if (file !== undefined) parts.push(part('f', file, '; filename="a.png"\r\ncontent-type: image/png'));
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return { url: '', headers, payload: `${parts.join('')}--${boundary}--\r\n` };
}

function rawFile(type: string, file: string) {
  return { url: '', headers: { 'content-type': type }, payload: file.toWellFormed() };
}

/** Generates request headers that the endpoint reads: headers of a valid request, of which some are replaced. */
function headersOf(
  { method, path, headerParameters }: FuzzedOperation,
  components: Components,
): fc.Arbitrary<Readonly<Record<string, string>>> {
  const accepted = acceptedHeaders[`${method} ${path}`];
  const base: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(fc.constant({}), accepted ?? fc.constant({}));
  const some = fc
    .subarray([...headerParameters], { maxLength: Math.min(2, headerParameters.length) })
    .chain((chosen) => fc.tuple(...chosen.map((one) => fieldOf(one, components))));
  return fc.tuple(base, some).map(([valid, changed]) => {
    const sendable = changed.filter(([, text]) => text.length <= longestHeader && isSendableHeader(text));
    return { ...valid, ...Object.fromEntries(sendable) };
  });
}

/** Returns true if HTTP allows the text as the value of a header. */
function isSendableHeader(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

function filledPath({ path, pathParameters }: FuzzedOperation): fc.Arbitrary<string> {
  const parts = pathParameters.map(({ schema }) =>
    (schema.type === 'integer'
      ? fc.oneof(
          { weight: 9, arbitrary: fc.integer({ min: 1, max: 25 }).map(String) },
          { weight: 1, arbitrary: fc.oneof(fc.maxSafeInteger().map(String), fc.constant('9'.repeat(15))) },
          { weight: 1, arbitrary: anyText },
        )
      : anyText
    ).filter((part) => part !== '' && part.length <= longestPart && part.isWellFormed() && !/^\.{1,2}$/.test(part)),
  );
  return fc
    .tuple(...parts)
    .map((texts) =>
      pathParameters.reduce(
        (url, { name }, at) => url.replace(`{${name}}`, () => encodeURIComponent(texts[at]!)),
        path,
      ),
    );
}

/**
 * Generates form fields for an endpoint: fields of a valid request, fields that the endpoint's schema allows, and
 * arbitrary fields. Field names may be repeated.
 */
function fieldsOf({ method, path, parameters }: FuzzedOperation, components: Components): fc.Arbitrary<Field[]> {
  const bases = acceptedRequests[`${method} ${path}`] ?? [];
  const fields = (chosen: readonly Parameter[]) => fc.tuple(...chosen.map((one) => fieldOf(one, components)));
  const some = fc.subarray([...parameters], { maxLength: Math.min(3, parameters.length) }).chain(fields);
  const required = parameters.filter((parameter) => parameter.required);
  const begun: fc.Arbitrary<Field[]>[] = [
    fc.tuple(...required.map((one) => fieldOf(one, components))),
    ...bases.map((base) => fc.constant(Object.entries(base))),
  ];
  return fc.tuple(fc.oneof(...begun), some).map(([base, changed]) => [...base, ...changed]);
}

function fieldOf({ name, schema }: Parameter, components: Components): fc.Arbitrary<Field> {
  const value = fc.oneof(
    { weight: 12, arbitrary: valueOf(schema, components).map((one) => wireText(schema, one)) },
    { weight: 1, arbitrary: anyText },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: deepText },
  );
  return value.map((text): Field => [name, text]);
}

function wireText(schema: Schema, value: unknown): string {
  return isText(schema) && typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}
