import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getRequestActor, type AuthenticatedRequest, Public } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InventoryActor } from '../engine/object-access.js';
import { createPathOptionsResponse, type OptionsResponseMembers } from '../engine/meta/options-response.js';
import { convertToOpenApiWithPauses } from '../engine/meta/convert-to-openapi-30.js';
import { allFieldsSelection } from '../engine/read/object-json-fragments.js';
import { readObject } from '../engine/read/object-reader.js';
import { inventoryErrors } from '../errors.js';
import { referenceApiRelease } from '../inventory-version.js';
import { getRequestPathAndQuery, getRequestUrlBase } from './request-urls.js';
import { ApiPaths } from './api-paths.js';
import { createOpenApiDocument } from './openapi-document.js';
import { INVENTORY_CONTEXT, type InventoryContext } from './inventory-context.js';
import { sendJsonText, sendJsonValue } from './send-response.js';
import { convertJsonToYaml } from './convert-to-yaml.js';

type ApiMetadataRequest = FastifyRequest<{ Params: { app?: string } }> & AuthenticatedRequest<InventoryActor>;

type OpenApiVersion = '3.0' | '3.1';

/** Endpoints about the API itself: root, schema, authentication check and status (docs/contract/inventory.md 1.12). */
@Controller('api')
export class ApiMetadataController {
  readonly #schemas = new Map<OpenApiVersion, Promise<object>>();
  readonly #schemaTexts = new Map<string, Promise<string>>();

  constructor(
    @Inject(ApiPaths) private readonly api: ApiPaths,
    @Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext,
  ) {}

  /** Responds with the names of the API's apps and the URLs of their root paths. */
  @All()
  getApiRoot(@Req() request: ApiMetadataRequest, @Res() reply: FastifyReply): void {
    if (respondToOptions(request, reply, 'API Root')) return;
    const names = [...new Set(this.api.registry.models.map(({ app }) => app)), 'plugins', 'status'].toSorted();
    sendJsonValue(
      request,
      reply,
      Object.fromEntries(names.map((name) => [name, `${getRequestUrlBase(request)}/api/${name}/`])),
    );
  }

  /** Responds with the version numbers of the service and the number of worker processes. */
  @All('status')
  async getServiceStatus(@Req() request: ApiMetadataRequest, @Res() reply: FastifyReply): Promise<void> {
    if (respondToOptions(request, reply, 'Status')) return;
    // Without Redis, no worker can process jobs.
    const workers = await this.parts.deliveryJobs.jobs.workingProcesses().catch(() => []);
    sendJsonValue(request, reply, {
      'django-version': 'none',
      hostname: hostname(),
      installed_apps: {},
      'netbox-version': referenceApiRelease,
      'netbox-full-version': referenceApiRelease,
      plugins: {},
      'python-version': 'none',
      'rq-workers-running': workers.length,
    });
  }

  /** Responds with the user who is authenticated by the request. */
  @All('authentication-check')
  async getAuthenticatedUser(@Req() request: ApiMetadataRequest, @Res() reply: FastifyReply): Promise<void> {
    if (respondToOptions(request, reply, 'Authentication Check')) return;
    const actor = getRequestActor(request);
    const model = this.api.registry.find('users.user');
    if (actor === null || actor.kind === 'anonymous' || model === null)
      throw inventoryErrors.create('NOT_AUTHENTICATED');
    const { body } = await readObject(this.parts.database, this.parts.shapes, {
      model,
      id: String(actor.id),
      grant: { where: null },
      selection: allFieldsSelection,
      base: getRequestUrlBase(request),
    });
    sendJsonText(request, reply, { status: 200, body, headers: {} });
  }

  /**
   * Responds with the API's OpenAPI document. By default, the document is OpenAPI 3.0.3 in YAML. Clients can request
   * OpenAPI 3.1 or JSON instead.
   */
  @Public()
  @All('schema')
  async getOpenApiDocument(@Req() request: ApiMetadataRequest, @Res() reply: FastifyReply): Promise<void> {
    if (respondToOptions(request, reply, 'Schema', { renders: ['application/yaml', 'application/json'] })) return;
    const { query } = getRequestPathAndQuery(request);
    const format = query.get('format');
    if (format !== null && format !== 'json' && format !== 'yaml') throw inventoryErrors.create('NOT_FOUND');
    const asJson = format === 'json' || (format === null && request.headers.accept?.includes('json') === true);
    const dialect = query.get('version') === '3.1' ? '3.1' : '3.0';
    const text = await this.#schemaText(dialect, asJson);
    await reply.header('content-type', `application/${asJson ? 'json' : 'yaml'}; charset=utf-8`).send(text);
  }

  /**
   * Returns the text of the OpenAPI document in a version and format. The text is created at the first request and then
   * cached without change.
   */
  #schemaText(dialect: OpenApiVersion, asJson: boolean): Promise<string> {
    return getOrCreateMapEntry(this.#schemaTexts, `${dialect} ${asJson}`, async () => {
      const document = await this.#schema(dialect);
      await nextTurn();
      return asJson ? JSON.stringify(document) : convertJsonToYaml(document);
    });
  }

  #schema(dialect: OpenApiVersion): Promise<object> {
    return getOrCreateMapEntry(this.#schemas, dialect, async () => {
      if (dialect === '3.1') return createOpenApiDocument(this.api);
      const document = await this.#schema('3.1');
      await nextTurn();
      return convertToOpenApiWithPauses(document);
    });
  }

  /** Responds with the names of an app's models and the URLs of their lists. */
  @All(':app')
  listAppModels(@Req() request: ApiMetadataRequest, @Res() reply: FastifyReply): void {
    const { app } = request.params;
    const base = getRequestUrlBase(request);
    const paths = this.api.pathsByApp.filter((path) => path.startsWith(`${app ?? ''}/`));
    if (app !== 'plugins' && paths.length === 0) throw inventoryErrors.create('NOT_FOUND');
    if (respondToOptions(request, reply, `${getAppTitle(app ?? '')} API Root`)) return;
    if (app === 'plugins')
      sendJsonValue(request, reply, { 'installed-plugins': `${base}/api/plugins/installed-plugins/` });
    else {
      const names = paths.toSorted().map((path) => [path.slice(path.indexOf('/') + 1), `${base}/api/${path}/`]);
      sendJsonValue(request, reply, Object.fromEntries(names));
    }
  }

  /** Responds with an empty list, because the service has no plugins. */
  @All('plugins/installed-plugins')
  listPlugins(@Req() request: ApiMetadataRequest, @Res() reply: FastifyReply): void {
    if (respondToOptions(request, reply, 'Installed Plugins')) return;
    sendJsonValue(request, reply, []);
  }
}

/**
 * Responds to OPTIONS and returns true; returns false for reads.
 *
 * @throws ApplicationError METHOD_NOT_ALLOWED for other methods
 */
function respondToOptions(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  description: OptionsResponseMembers = {},
): boolean {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') return false;
  if (method !== 'OPTIONS') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
  sendJsonValue(request, reply, createPathOptionsResponse(name, description));
  return true;
}

const appsNamedByAcronym: ReadonlySet<string> = new Set(['dcim', 'ipam']);

function getAppTitle(app: string): string {
  return appsNamedByAcronym.has(app) ? app.toUpperCase() : app.charAt(0).toUpperCase() + app.slice(1);
}

/**
 * Returns the value of a key in a map. The first call for a key creates the value; if the creation fails, the next call
 * tries again.
 */
function getOrCreateMapEntry<K, V>(values: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  void made.catch(() => values.delete(key));
  return made;
}
