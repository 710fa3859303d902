import type { OpenApiDocument } from '@switchboard/platform';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { OpenApiContractError } from './contract-error.js';
import { OpenApiOperations, type LocatedOpenApiOperation } from './openapi-operations.js';
import { listPropertyNamesOfSchema } from './schema-property-names.js';

/** An HTTP request with its response, to check against an OpenAPI document. */
export interface HttpExchange {
  method: string;
  /** Path and query string of the HTTP request. */
  url: string;
  /** Media type and member names of the request body; absent if the request had no body. */
  sent?: { contentType: string; names: string[] };
  status: number;
  contentType: string | undefined;
  text: string;
}

const OPENAPI_FILE_NAME = 'openapi.json';

/** Checks HTTP requests and responses against an OpenAPI 3.1 document. */
export class OpenApiContract {
  /**
   * Compiled contracts by OpenAPI document. The contracts are shared, because compiling the schemas of a document takes
   * longer than most requests.
   */
  static readonly #contractByDocument = new WeakMap<OpenApiDocument, OpenApiContract>();

  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    logger: false,
    verbose: true,
    // A schema is compiled once and used a few times, so optimizing its code takes longer than running it.
    code: { optimize: false },
    inlineRefs: false,
  });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #operations: OpenApiOperations;

  constructor(private readonly document: OpenApiDocument) {
    ajvFormats.default(this.#ajv);
    this.#ajv.addSchema(document, OPENAPI_FILE_NAME);
    this.#operations = new OpenApiOperations(document);
  }

  /** Returns the shared contract for an OpenAPI document. The document must not change. */
  static getContractOfDocument(document: OpenApiDocument): OpenApiContract {
    const made = OpenApiContract.#contractByDocument.get(document) ?? new OpenApiContract(document);
    OpenApiContract.#contractByDocument.set(document, made);
    return made;
  }

  /**
   * Checks an HTTP request and its response.
   *
   * @throws OpenApiContractError when the document does not declare the operation, the status, the media type, or a key or
   *   value of the body. Also when a successful request used an undeclared parameter
   */
  checkExchange(exchange: HttpExchange): void {
    const call = `${exchange.method} ${exchange.url} → ${exchange.status}`;
    const found = this.#operations.findOperation(exchange.method, exchange.url);
    if (found === undefined) {
      // Requests that are not in the document may only get these two statuses.
      if (exchange.status === 404 || exchange.status === 405) {
        return;
      }
      throw new OpenApiContractError(call, ['the document has no such operation']);
    }
    const problems = this.#checkResponse(exchange, found);
    if (exchange.status >= 200 && exchange.status < 300) {
      problems.push(...this.#checkQuery(exchange, found), ...this.#checkBodyNames(exchange, found));
    }
    if (problems.length > 0) {
      throw new OpenApiContractError(call, problems);
    }
  }

  #checkResponse(exchange: HttpExchange, { path, method, operation }: LocatedOpenApiOperation): string[] {
    const responses = operation.responses ?? {};
    const key = [String(exchange.status), `${Math.trunc(exchange.status / 100)}XX`, 'default'].find(
      (k) => k in responses,
    );
    if (key === undefined) {
      return [
        `status ${exchange.status} is not declared (declared: ${Object.keys(responses).join(', ')})`,
        shortenResponseText(exchange),
      ];
    }
    if (exchange.method === 'HEAD') {
      return [];
    }
    const own = ['paths', path, method, 'responses', key];
    const { pointer: described, response } = this.#responseAt(own, responses[key]);
    const content: Record<string, { schema?: unknown }> = response.content ?? {};
    if (Object.keys(content).length === 0) {
      return exchange.text === '' ? [] : [`a body where none is declared`, shortenResponseText(exchange)];
    }
    const type = parseMediaTypeOfHeader(exchange.contentType ?? '');
    const declared = content[type] ?? content['*/*'];
    if (declared === undefined) {
      return [`media type "${type}" is not declared (declared: ${Object.keys(content).join(', ')})`];
    }
    if (declared.schema === undefined || !isJsonMediaType(type)) {
      return [];
    }
    const name = content[type] === undefined ? '*/*' : type;
    const pointer = [...described, 'content', name, 'schema'].map(encodeJsonPointerPart).join('/');
    return this.#validate(pointer, exchange.text);
  }

  /**
   * Returns a response's description with its location in the OpenAPI document. If the response is a reference, the
   * location is the location of the referenced component.
   */
  #responseAt(pointer: string[], response: { $ref?: string; content?: Record<string, { schema?: unknown }> }) {
    const name = response.$ref?.replace('#/components/responses/', '');
    if (name === undefined) return { pointer, response };
    return {
      pointer: ['components', 'responses', name],
      response: Object(this.document.components?.responses?.[name]) as typeof response,
    };
  }

  #validate(pointer: string, text: string): string[] {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return [`the body is not JSON: ${text.slice(0, 200)}`];
    }
    let validate = this.#validators.get(pointer);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `${OPENAPI_FILE_NAME}#/${pointer}` });
      this.#validators.set(pointer, validate);
    }
    return validate(body) ? [] : (validate.errors ?? []).map(describeContractError);
  }

  #checkQuery(exchange: HttpExchange, { path, operation }: LocatedOpenApiOperation): string[] {
    const shared = this.document.paths?.[path]?.parameters ?? [];
    const declared = new Set(
      [...shared, ...(operation.parameters ?? [])].flatMap((parameter) =>
        'in' in parameter && parameter.in === 'query' ? [parameter.name] : [],
      ),
    );
    const used = new URL(exchange.url, 'http://service').searchParams.keys();
    return [...new Set(used)]
      .filter((name) => !declared.has(name))
      .map((name) => `the query parameter "${name}" is not declared`);
  }

  #checkBodyNames({ sent }: HttpExchange, { operation }: LocatedOpenApiOperation): string[] {
    if (sent === undefined || sent.names.length === 0) {
      return [];
    }
    const body = operation.requestBody;
    const content = body !== undefined && 'content' in body ? body.content : {};
    const declared = content[parseMediaTypeOfHeader(sent.contentType)];
    if (declared === undefined) {
      return [`a body of type "${sent.contentType}" is not declared`];
    }
    const names = listPropertyNamesOfSchema(declared.schema, this.document.components?.schemas ?? {});
    return sent.names
      .filter((name) => names !== undefined && !names.has(name))
      .map((name) => `the body parameter "${name}" is not declared`);
  }
}

function describeContractError(error: ErrorObject): string {
  const place = error.instancePath === '' ? 'the body' : error.instancePath;
  const value: unknown = error.data;
  if (error.keyword === 'additionalProperties') {
    return `${place} has the undeclared key "${error.params['additionalProperty']}"`;
  }
  const allowed = 'allowedValues' in error.params ? ` ${JSON.stringify(error.params['allowedValues'])}` : '';
  return `${place} ${error.message ?? 'is wrong'}${allowed}, got ${shortenContractText(JSON.stringify(value) ?? 'nothing')}`;
}

function shortenResponseText({ text }: HttpExchange): string {
  return `the response was: ${shortenContractText(text)}`;
}

function shortenContractText(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function parseMediaTypeOfHeader(header: string): string {
  return (header.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function isJsonMediaType(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}

/** Returns an encoded part of a JSON pointer (RFC 6901 section 4), with percent encoding for a URI fragment. */
function encodeJsonPointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
