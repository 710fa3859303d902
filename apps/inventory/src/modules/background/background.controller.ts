import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { createPageLinks, paginateList, ListPagingParser } from '../../engine/read/list-paging.js';
import type { ResponseFileStore } from '../../engine/responses/response-files.js';
import { UnstoredResponseError } from '../../engine/responses/response-writer.js';
import type { StoredResponse } from '../../engine/responses/stored-response.js';
import { mapWithEventLoopPauses } from '../../engine/write/map-with-event-loop-pauses.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';
import { createResponseBodyHeaders } from '../../resources/model-resource-response.js';
import { WebhookDeliveryTasks, backgroundTaskStatuses, type BackgroundTaskStatus } from '../../webhooks/index.js';
import { callWithRedisErrorConversion } from './convert-redis-errors.js';
import {
  taskQueueNames,
  createBackgroundQueueJson,
  createBackgroundTaskJson,
  createBackgroundWorkerJson,
} from './background-task-json.js';
import { type BackgroundEndpointRequest, requireSuperuser } from './require-superuser.js';

type BackgroundTaskAction = (tasks: WebhookDeliveryTasks, id: string) => Promise<boolean>;

/**
 * Actions that clients can perform on a background task, by the last segment of the URL path. Each action returns true
 * if it had an effect on the task.
 */
const backgroundTaskActions: Readonly<Record<string, BackgroundTaskAction>> = {
  delete: (tasks, id) => tasks.removeTask(id).then(() => true),
  requeue: (tasks, id) => tasks.requeueTask(id).then(() => true),
  enqueue: (tasks, id) => tasks.enqueueTask(id).then(() => true),
  stop: (tasks, id) => tasks.stopTask(id),
};

/**
 * Endpoints of background queues, workers and tasks (docs/contract/inventory.md 2.3). Only superusers may use the
 * endpoints.
 */
@Controller('api/core')
export class BackgroundTasksController {
  readonly #paging: ListPagingParser;
  readonly #tasks: WebhookDeliveryTasks;
  readonly #responses: ResponseFileStore;

  constructor(@Inject(INVENTORY_CONTEXT) { database, deliveryJobs, pageSizes, responses }: InventoryContext) {
    this.#paging = new ListPagingParser(pageSizes);
    this.#tasks = new WebhookDeliveryTasks(database, deliveryJobs, responses.limits.inMemory);
    this.#responses = responses;
  }

  @All('background-queues')
  listBackgroundQueues(@Req() request: BackgroundEndpointRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Queue List', async () =>
      this.#pageOfItems(request, await this.#queues(request)),
    );
  }

  @All('background-queues/:name')
  showBackgroundQueue(@Req() request: BackgroundEndpointRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Queue Instance', async () => {
      const index = taskQueueNames.findIndex((name) => name === request.params.name);
      return requireTaskFound((await this.#queues(request))[index]);
    });
  }

  @All('background-workers')
  listBackgroundWorkers(@Req() request: BackgroundEndpointRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Worker List', async () => {
      const workers = await this.#tasks.listDeliveryWorkers();
      return this.#pageOfItems(
        request,
        workers.map((worker) => createBackgroundWorkerJson(worker, getRequestUrlBase(request))),
      );
    });
  }

  @All('background-workers/:name')
  showBackgroundWorker(@Req() request: BackgroundEndpointRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Worker Instance', async () => {
      const worker = (await this.#tasks.listDeliveryWorkers()).find(({ name }) => name === request.params.name);
      return createBackgroundWorkerJson(requireTaskFound(worker), getRequestUrlBase(request));
    });
  }

  /** Lists the background tasks that have one of the requested states. Default: queued tasks. */
  @All('background-tasks')
  listBackgroundTasks(@Req() request: BackgroundEndpointRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#respond(request, reply, 'Background Task List', () => this.#writeTaskList(request));
  }

  @All('background-tasks/:name')
  showBackgroundTask(@Req() request: BackgroundEndpointRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Task Instance', async () =>
      this.#taskJson(request, requireTaskFound(await this.#tasks.findDeliveryTask(request.params.name))),
    );
  }

  @All('background-tasks/:name/:action')
  async performBackgroundTaskAction(
    @Req() request: BackgroundEndpointRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { method, params } = request;
    const { name: id, action = '' } = params as { name: string; action?: string };
    const act = Object.hasOwn(backgroundTaskActions, action) ? backgroundTaskActions[action] : undefined;
    if (act === undefined) throw inventoryErrors.create('NOT_FOUND');
    requireSuperuser(request);
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse('Background Task'));
    if (method !== 'POST') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const status = await callWithRedisErrorConversion(async () => {
      requireTaskFound(await this.#tasks.findDeliveryTask(id));
      return (await act(this.#tasks, id)) ? 200 : 204;
    });
    sendJsonText(request, reply, { status, body: null, headers: {} });
  }

  async #read(
    request: BackgroundEndpointRequest,
    reply: FastifyReply,
    title: string,
    value: () => Promise<object>,
  ): Promise<void> {
    return this.#respond(request, reply, title, async () => JSON.stringify(await value()));
  }

  async #respond(
    request: BackgroundEndpointRequest,
    reply: FastifyReply,
    title: string,
    createBody: () => Promise<string | StoredResponse | null>,
  ): Promise<void> {
    const { method } = request;
    requireSuperuser(request);
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse(title));
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const body = await callWithRedisErrorConversion(createBody);
    sendJsonText(request, reply, { status: 200, body, headers: createResponseBodyHeaders(body) });
  }

  /**
   * Writes a page of background tasks as JSON text, a few tasks at a time. Returns null for a HEAD request whose page does
   * not fit into memory.
   *
   * @throws ApplicationError RESPONSE_TOO_LARGE, RESPONSE_NOT_STORED
   */
  async #writeTaskList(request: BackgroundEndpointRequest): Promise<string | StoredResponse | null> {
    const { path, query } = getRequestPathAndQuery(request);
    const statuses = parseRequestedStatuses(query);
    const page = this.#paging.parsePagingParameters(query);
    const { limit } = page;
    const [offset, start] = page.kind === 'offset' ? [page.offset, null] : [0, page.start];
    const { count, places, readParts } = await this.#tasks.listDeliveryTasks({ statuses, limit, offset, start });
    const frame = createPageLinks(`${getRequestUrlBase(request)}${path}?${query.toString()}`, page, {
      count,
      rows: places.length,
      lastId: places.at(-1)?.sequence ?? null,
    });
    const writer = this.#responses.createResponseWriter(request.method === 'HEAD' ? 'none' : 'file');
    try {
      for await (const tasks of readParts()) {
        const texts = await mapWithEventLoopPauses(tasks, (task) => JSON.stringify(this.#taskJson(request, task)));
        await writer.write((writer.writtenBytes === 0 ? '' : ',') + texts.join(','));
      }
      return await writer.finish({ head: `${JSON.stringify(frame).slice(0, -1)},"results":[`, tail: ']}' });
    } catch (error) {
      await writer.discard();
      if (error instanceof UnstoredResponseError) return null;
      throw error;
    }
  }

  #taskJson(request: BackgroundEndpointRequest, task: Parameters<typeof createBackgroundTaskJson>[0]): object {
    const { deliveryJobKind: kind, attemptTimeoutMs: timeoutMs } = this.#tasks;
    return createBackgroundTaskJson(task, { base: getRequestUrlBase(request), kind, timeoutMs });
  }

  async #queues(request: BackgroundEndpointRequest): Promise<object[]> {
    const [counts, workers] = await Promise.all([this.#tasks.countDeliveryTasks(), this.#tasks.listDeliveryWorkers()]);
    return taskQueueNames.map((name) =>
      createBackgroundQueueJson(name, counts, { base: getRequestUrlBase(request), workers }),
    );
  }

  /**
   * Returns a page of a list that is in memory, as a list response. The position of an item in the list serves as the
   * item's id.
   */
  #pageOfItems(request: BackgroundEndpointRequest, all: readonly object[]): object {
    const { path, query } = getRequestPathAndQuery(request);
    const page = this.#paging.parsePagingParameters(query);
    const { shown, frame } = paginateList(`${getRequestUrlBase(request)}${path}?${query.toString()}`, page, all);
    return { ...frame, results: shown };
  }
}

/**
 * Returns the states of tasks that the query parameter `status` names.
 *
 * @throws ApplicationError VALIDATION_FAILED for an unknown status
 */
function parseRequestedStatuses(query: URLSearchParams): readonly BackgroundTaskStatus[] {
  const requested = query.getAll('status').filter((status) => status !== '');
  const unknown = requested.find((status) => !backgroundTaskStatuses.some((known) => known === status));
  if (unknown !== undefined) {
    const message = `Select a valid choice. ${unknown} is not one of the available choices.`;
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { status: [message] } } });
  }
  return requested.length === 0 ? ['queued'] : backgroundTaskStatuses.filter((status) => requested.includes(status));
}

/**
 * Returns the value, or responds with 404.
 *
 * @throws ApplicationError NOT_FOUND for null or undefined
 */
function requireTaskFound<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw inventoryErrors.create('NOT_FOUND');
  return value;
}
