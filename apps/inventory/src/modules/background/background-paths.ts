import type { JsonSchema } from '../../engine/meta/json-schema-of-values.js';
import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import type { AllowedPathMethods } from '../../http/define-slice.js';
import { backgroundTaskStatuses } from '../../webhooks/index.js';

/** Allowed HTTP methods of the URL paths that perform an action on a background task, such as stopping the task. */
export const allowedBackgroundMethods: readonly AllowedPathMethods[] = [
  { path: /^\/api\/core\/background-tasks\/[^/]+\/[^/]+\/$/, methods: ['OPTIONS', 'POST'] },
];

/**
 * URL paths of the lists of background queues, workers and tasks. The API lists these paths at the root path of the app
 * `core`.
 */
export const backgroundListPaths = [
  'core/background-queues',
  'core/background-tasks',
  'core/background-workers',
] as const;

const problemSchema = { $ref: '#/components/schemas/Problem' };
const validationErrorSchema = { $ref: '#/components/schemas/Refusal' };
const failureResponses = {
  403: createOpenApiJsonResponse('No credentials, or the user is no superuser', problemSchema),
  503: createOpenApiJsonResponse('The queues cannot be reached', problemSchema),
};
const notFoundResponse = { 404: createOpenApiJsonResponse('No task or queue has this name or id', problemSchema) };

const textSchema: JsonSchema = { type: 'string' };
const countSchema: JsonSchema = { type: 'integer', minimum: 0 };
const booleanSchema: JsonSchema = { type: 'boolean' };
const timeSchema: JsonSchema = { type: 'string', format: 'date-time' };
const urlSchema: JsonSchema = { type: 'string', format: 'uri' };
const createNullableSchema = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

function createObjectSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** OpenAPI schemas of background queues, workers and tasks (docs/contract/inventory.md 2.3). */
export const backgroundSchemas: Readonly<Record<string, JsonSchema>> = {
  BackgroundQueue: createObjectSchema({
    name: textSchema,
    url: urlSchema,
    jobs: countSchema,
    oldest_job_timestamp: createNullableSchema(textSchema),
    index: countSchema,
    scheduler_pid: createNullableSchema(textSchema),
    ...Object.fromEntries(
      ['workers', 'finished_jobs', 'started_jobs', 'deferred_jobs', 'failed_jobs', 'scheduled_jobs'].map((name) => [
        name,
        countSchema,
      ]),
    ),
  }),
  BackgroundWorker: createObjectSchema({
    name: textSchema,
    url: urlSchema,
    state: { type: 'string', enum: ['busy', 'idle'] },
    birth_date: timeSchema,
    queue_names: { type: 'array', items: textSchema },
    pid: textSchema,
    successful_job_count: countSchema,
    failed_job_count: countSchema,
    total_working_time: countSchema,
  }),
  BackgroundTask: createObjectSchema({
    id: textSchema,
    url: urlSchema,
    description: textSchema,
    origin: textSchema,
    func_name: textSchema,
    args: { type: 'array', items: textSchema },
    kwargs: { type: 'object', additionalProperties: textSchema },
    result: createNullableSchema(textSchema),
    timeout: countSchema,
    result_ttl: createNullableSchema({ type: 'integer' }),
    created_at: timeSchema,
    enqueued_at: timeSchema,
    started_at: createNullableSchema(timeSchema),
    ended_at: createNullableSchema(timeSchema),
    worker_name: createNullableSchema(textSchema),
    position: createNullableSchema(countSchema),
    status: { type: 'string', enum: [...backgroundTaskStatuses] },
    meta: { type: 'object', additionalProperties: true },
    last_heartbeat: createNullableSchema(textSchema),
    ...Object.fromEntries(backgroundTaskStatuses.map((status) => [`is_${status}`, booleanSchema])),
  }),
};

function createTaskOperation(operationId: string, summary: string, responses: object, more: object = {}): object {
  return { operationId, summary, tags: ['core'], security: [{ tokenAuth: [] }], ...more, responses };
}

const createOptionsMethodOperation = (operationId: string): object =>
  createTaskOperation(`${operationId}_options`, 'Describe the endpoint', {
    200: createOpenApiJsonResponse('Name, description and media types', { type: 'object', additionalProperties: true }),
    ...failureResponses,
    ...notFoundResponse,
  });

const createPathParameter = (name: string) => ({
  parameters: [{ name, in: 'path', required: true, schema: textSchema }],
});

const createQueryParameter = (name: string, schema: JsonSchema) => ({ name, in: 'query', required: false, schema });
const pagingParameters = ['limit', 'offset', 'start'].map((name) => createQueryParameter(name, { type: 'integer' }));
const statusParameter = {
  ...createQueryParameter('status', { type: 'array', items: { type: 'string', enum: [...backgroundTaskStatuses] } }),
  description: 'Status of the tasks; queued by default',
};

function createGetPath(path: string, key: 'id' | 'name', component: string, parameters: readonly object[]): object {
  const operationId = `core_${path.replaceAll('-', '_')}`;
  const item = { $ref: `#/components/schemas/${component}` };
  const page = createObjectSchema({
    count: createNullableSchema(countSchema),
    next: createNullableSchema(urlSchema),
    previous: createNullableSchema(urlSchema),
    results: { type: 'array', items: item },
  });
  const listed = {
    200: createOpenApiJsonResponse('A page of them', page),
    400: createOpenApiJsonResponse('The request is invalid', validationErrorSchema),
    ...failureResponses,
  };
  const shown = {
    200: createOpenApiJsonResponse('The task with its status', item),
    ...failureResponses,
    ...notFoundResponse,
  };
  return {
    [`/api/core/${path}/`]: {
      get: createTaskOperation(`${operationId}_list`, `List ${path.replaceAll('-', ' ')}`, listed, { parameters }),
      options: createOptionsMethodOperation(operationId),
    },
    [`/api/core/${path}/{${key}}/`]: {
      ...createPathParameter(key),
      get: createTaskOperation(`${operationId}_retrieve`, 'Show one', shown),
      options: createOptionsMethodOperation(`${operationId}_${key}`),
    },
  };
}

function createActionPath(action: string, summary: string, nothing?: string): object {
  const operationId = `core_background_tasks_${action}_create`;
  const body = { content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } } };
  const responses = {
    200: { description: 'Done' },
    ...(nothing === undefined ? {} : { 204: { description: nothing } }),
    ...failureResponses,
    ...notFoundResponse,
  };
  return {
    [`/api/core/background-tasks/{id}/${action}/`]: {
      ...createPathParameter('id'),
      post: createTaskOperation(operationId, summary, responses, { requestBody: { required: false, ...body } }),
      options: createOptionsMethodOperation(operationId),
    },
  };
}

/** OpenAPI paths of background queues, workers and tasks. */
export const backgroundTaskOpenApiPaths: Readonly<Record<string, object>> = {
  ...createGetPath('background-queues', 'name', 'BackgroundQueue', pagingParameters),
  ...createGetPath('background-workers', 'name', 'BackgroundWorker', pagingParameters),
  ...createGetPath('background-tasks', 'id', 'BackgroundTask', [...pagingParameters, statusParameter]),
  ...createActionPath('delete', 'Remove a task; a running task is stopped first'),
  ...createActionPath('requeue', 'Requeue a failed task'),
  ...createActionPath('enqueue', 'Run a waiting task now'),
  ...createActionPath('stop', 'Stop a running task', 'The task is not running'),
};
