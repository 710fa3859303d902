import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { createPageLinks, paginateList, ListPaging } from '../../engine/read/list-paging.js';
import { inventoryErrors } from '../../errors.js';
import { getPathAndQuery, getUrlBase } from '../../http/request-urls.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJson, sendJsonValue } from '../../http/send-response.js';
import { DeliveryTasks, taskStatuses, type TaskStatus } from '../../webhooks/index.js';
import { withRedisErrors } from './convert-redis-errors.js';
import { taskQueueNames, createQueueJson, createTaskJson, createWorkerJson } from './background-task-json.js';
import { type BackgroundRequest, requireSuperuser } from './require-superuser.js';

type TaskAction = (tasks: DeliveryTasks, id: string) => Promise<boolean>;

/**
 * Actions that clients can perform on a background task, by the last segment of the URL path. Each action returns true
 * if it had an effect on the task.
 */
const taskActions: Readonly<Record<string, TaskAction>> = {
  delete: (tasks, id) => tasks.remove(id).then(() => true),
  requeue: (tasks, id) => tasks.requeue(id).then(() => true),
  enqueue: (tasks, id) => tasks.enqueue(id).then(() => true),
  stop: (tasks, id) => tasks.stop(id),
};

/**
 * Endpoints of background queues, workers and tasks (docs/contract/inventory.md 2.3). Only superusers may use the
 * endpoints.
 */
@Controller('api/core')
export class BackgroundController {
  readonly #paging: ListPaging;
  readonly #tasks: DeliveryTasks;

  constructor(@Inject(INVENTORY_CONTEXT) { database, deliveryJobs, pageSizes }: InventoryContext) {
    this.#paging = new ListPaging(pageSizes);
    this.#tasks = new DeliveryTasks(database, deliveryJobs);
  }

  @All('background-queues')
  queues(@Req() request: BackgroundRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Queue List', async () =>
      this.#pageOfItems(request, await this.#queues(request)),
    );
  }

  @All('background-queues/:name')
  queue(@Req() request: BackgroundRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Queue Instance', async () => {
      const index = taskQueueNames.findIndex((name) => name === request.params.name);
      return requireTaskFound((await this.#queues(request))[index]);
    });
  }

  @All('background-workers')
  workers(@Req() request: BackgroundRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Worker List', async () => {
      const workers = await this.#tasks.workers();
      return this.#pageOfItems(
        request,
        workers.map((worker) => createWorkerJson(worker, getUrlBase(request))),
      );
    });
  }

  @All('background-workers/:name')
  worker(@Req() request: BackgroundRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Worker Instance', async () => {
      const worker = (await this.#tasks.workers()).find(({ name }) => name === request.params.name);
      return createWorkerJson(requireTaskFound(worker), getUrlBase(request));
    });
  }

  /** Lists the background tasks that have one of the requested states. Default: queued tasks. */
  @All('background-tasks')
  tasks(@Req() request: BackgroundRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Task List', async () => {
      const { path, query } = getPathAndQuery(request);
      const statuses = parseRequestedStatuses(query);
      const page = this.#paging.read(query);
      const { limit } = page;
      const [offset, start] = page.kind === 'offset' ? [page.offset, null] : [0, page.start];
      const { count, tasks } = await this.#tasks.list({ statuses, limit, offset, start });
      const lastId = tasks.at(-1)?.sequence ?? null;
      const frame = createPageLinks(`${getUrlBase(request)}${path}?${query.toString()}`, page, {
        count,
        rows: tasks.length,
        lastId,
      });
      return { ...frame, results: tasks.map((task) => this.#taskJson(request, task)) };
    });
  }

  @All('background-tasks/:name')
  task(@Req() request: BackgroundRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#read(request, reply, 'Background Task Instance', async () =>
      this.#taskJson(request, requireTaskFound(await this.#tasks.find(request.params.name))),
    );
  }

  @All('background-tasks/:name/:action')
  async runTaskAction(@Req() request: BackgroundRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method, params } = request;
    const { name: id, action = '' } = params as { name: string; action?: string };
    const act = Object.hasOwn(taskActions, action) ? taskActions[action] : undefined;
    if (act === undefined) throw inventoryErrors.create('NOT_FOUND');
    requireSuperuser(request);
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse('Background Task'));
    if (method !== 'POST') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const status = await withRedisErrors(async () => {
      requireTaskFound(await this.#tasks.find(id));
      return (await act(this.#tasks, id)) ? 200 : 204;
    });
    sendJson(request, reply, { status, body: null, headers: {} });
  }

  async #read(
    request: BackgroundRequest,
    reply: FastifyReply,
    title: string,
    value: () => Promise<object>,
  ): Promise<void> {
    const { method } = request;
    requireSuperuser(request);
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse(title));
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    sendJsonValue(request, reply, await withRedisErrors(value));
  }

  #taskJson(request: BackgroundRequest, task: Parameters<typeof createTaskJson>[0]): object {
    const { kind, timeoutMs } = this.#tasks;
    return createTaskJson(task, { base: getUrlBase(request), kind, timeoutMs });
  }

  async #queues(request: BackgroundRequest): Promise<object[]> {
    const [counts, workers] = await Promise.all([this.#tasks.count(), this.#tasks.workers()]);
    return taskQueueNames.map((name) => createQueueJson(name, counts, { base: getUrlBase(request), workers }));
  }

  /**
   * Returns a page of a list that is in memory, as a list response. The position of an item in the list serves as the
   * item's id.
   */
  #pageOfItems(request: BackgroundRequest, all: readonly object[]): object {
    const { path, query } = getPathAndQuery(request);
    const page = this.#paging.read(query);
    const { shown, frame } = paginateList(`${getUrlBase(request)}${path}?${query.toString()}`, page, all);
    return { ...frame, results: shown };
  }
}

/**
 * Returns the states of tasks that the query parameter `status` names.
 *
 * @throws AppError VALIDATION_FAILED for an unknown status
 */
function parseRequestedStatuses(query: URLSearchParams): readonly TaskStatus[] {
  const requested = query.getAll('status').filter((status) => status !== '');
  const unknown = requested.find((status) => !taskStatuses.some((known) => known === status));
  if (unknown !== undefined) {
    const message = `Select a valid choice. ${unknown} is not one of the available choices.`;
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { status: [message] } } });
  }
  return requested.length === 0 ? ['queued'] : taskStatuses.filter((status) => requested.includes(status));
}

/**
 * Returns the value, or responds with 404.
 *
 * @throws AppError NOT_FOUND for null or undefined
 */
function requireTaskFound<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw inventoryErrors.create('NOT_FOUND');
  return value;
}
