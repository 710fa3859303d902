import type { JsonSchema } from '../../engine/meta/json-schema.js';
import { jsonResponse } from '../../engine/meta/openapi.js';
import type { PathMethods } from '../../http/define-slice.js';
import { taskStatuses } from '../../webhooks/index.js';

/** Allowed HTTP methods of the paths with actions on a background task. */
export const backgroundMethods: readonly PathMethods[] = [
  { path: /^\/api\/core\/background-tasks\/[^/]+\/[^/]+\/$/, methods: ['OPTIONS', 'POST'] },
];

/** Paths of the lists of background work, which the root of the app `core` includes. */
export const backgroundLists = ['core/background-queues', 'core/background-tasks', 'core/background-workers'] as const;

const problem = { $ref: '#/components/schemas/Problem' };
const refusalSchema = { $ref: '#/components/schemas/Refusal' };
const failures = {
  403: jsonResponse('No credentials, or the user is no superuser', problem),
  503: jsonResponse('The queues cannot be reached', problem),
};
const notFoundResponse = { 404: jsonResponse('No task or queue has this name or id', problem) };

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const flag: JsonSchema = { type: 'boolean' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
const link: JsonSchema = { type: 'string', format: 'uri' };
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

function shape(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** OpenAPI schemas of background queues, workers and tasks (docs/contract/inventory.md 2.3). */
export const backgroundSchemas: Readonly<Record<string, JsonSchema>> = {
  BackgroundQueue: shape({
    name: text,
    url: link,
    jobs: count,
    oldest_job_timestamp: orNull(text),
    index: count,
    scheduler_pid: orNull(text),
    ...Object.fromEntries(
      ['workers', 'finished_jobs', 'started_jobs', 'deferred_jobs', 'failed_jobs', 'scheduled_jobs'].map((name) => [
        name,
        count,
      ]),
    ),
  }),
  BackgroundWorker: shape({
    name: text,
    url: link,
    state: { type: 'string', enum: ['busy', 'idle'] },
    birth_date: time,
    queue_names: { type: 'array', items: text },
    pid: text,
    successful_job_count: count,
    failed_job_count: count,
    total_working_time: count,
  }),
  BackgroundTask: shape({
    id: text,
    url: link,
    description: text,
    origin: text,
    func_name: text,
    args: { type: 'array', items: text },
    kwargs: { type: 'object', additionalProperties: text },
    result: orNull(text),
    timeout: count,
    result_ttl: orNull({ type: 'integer' }),
    created_at: time,
    enqueued_at: time,
    started_at: orNull(time),
    ended_at: orNull(time),
    worker_name: orNull(text),
    position: orNull(count),
    status: { type: 'string', enum: [...taskStatuses] },
    meta: { type: 'object', additionalProperties: true },
    last_heartbeat: orNull(text),
    ...Object.fromEntries(taskStatuses.map((status) => [`is_${status}`, flag])),
  }),
};

function operation(operationId: string, summary: string, responses: object, more: object = {}): object {
  return { operationId, summary, tags: ['core'], security: [{ tokenAuth: [] }], ...more, responses };
}

const operationOptions = (operationId: string): object =>
  operation(`${operationId}_options`, 'Describe the endpoint', {
    200: jsonResponse('Name, description and media types', { type: 'object', additionalProperties: true }),
    ...failures,
    ...notFoundResponse,
  });

const pathParameter = (name: string) => ({ parameters: [{ name, in: 'path', required: true, schema: text }] });

const queryParameter = (name: string, schema: JsonSchema) => ({ name, in: 'query', required: false, schema });
const paging = ['limit', 'offset', 'start'].map((name) => queryParameter(name, { type: 'integer' }));
const status = {
  ...queryParameter('status', { type: 'array', items: { type: 'string', enum: [...taskStatuses] } }),
  description: 'Status of the tasks; queued by default',
};

function reading(path: string, key: 'id' | 'name', component: string, parameters: readonly object[]): object {
  const operationId = `core_${path.replaceAll('-', '_')}`;
  const item = { $ref: `#/components/schemas/${component}` };
  const page = shape({
    count: orNull(count),
    next: orNull(link),
    previous: orNull(link),
    results: { type: 'array', items: item },
  });
  const listed = {
    200: jsonResponse('A page of them', page),
    400: jsonResponse('The request is invalid', refusalSchema),
    ...failures,
  };
  const shown = { 200: jsonResponse('The task with its status', item), ...failures, ...notFoundResponse };
  return {
    [`/api/core/${path}/`]: {
      get: operation(`${operationId}_list`, `List ${path.replaceAll('-', ' ')}`, listed, { parameters }),
      options: operationOptions(operationId),
    },
    [`/api/core/${path}/{${key}}/`]: {
      ...pathParameter(key),
      get: operation(`${operationId}_retrieve`, 'Show one', shown),
      options: operationOptions(`${operationId}_${key}`),
    },
  };
}

function actionPath(action: string, summary: string, nothing?: string): object {
  const operationId = `core_background_tasks_${action}_create`;
  const body = { content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } } };
  const responses = {
    200: { description: 'Done' },
    ...(nothing === undefined ? {} : { 204: { description: nothing } }),
    ...failures,
    ...notFoundResponse,
  };
  return {
    [`/api/core/background-tasks/{id}/${action}/`]: {
      ...pathParameter('id'),
      post: operation(operationId, summary, responses, { requestBody: { required: false, ...body } }),
      options: operationOptions(operationId),
    },
  };
}

/** OpenAPI paths of background queues, workers and tasks. */
export const backgroundPaths: Readonly<Record<string, object>> = {
  ...reading('background-queues', 'name', 'BackgroundQueue', paging),
  ...reading('background-workers', 'name', 'BackgroundWorker', paging),
  ...reading('background-tasks', 'id', 'BackgroundTask', [...paging, status]),
  ...actionPath('delete', 'Remove a task; a running task is stopped first'),
  ...actionPath('requeue', 'Requeue a failed task'),
  ...actionPath('enqueue', 'Run a waiting task now'),
  ...actionPath('stop', 'Stop a running task', 'The task is not running'),
};
