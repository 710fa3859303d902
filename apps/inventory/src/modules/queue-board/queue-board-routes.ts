import { createBullBoard } from '@bull-board/api';
import type { AppControllerRoute, BullBoardQueues, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import { queueBoardFilesFolder } from './queue-board-page.js';
import type { TaskBoardQueue } from './task-board-queue.js';

/**
 * Routes of Bull Board's API that the board's page uses and that webhook deliveries support. Requests to other routes
 * get status 404.
 */
const supportedQueueBoardRoutes: ReadonlySet<string> = new Set([
  'get /api/queues',
  'get /api/job-schedulers',
  'get /api/queues/:queueName/default-job-options',
  'get /api/queues/:queueName/workers',
  'get /api/queues/:queueName/:jobId/logs',
  'get /api/queues/:queueName/:jobId',
  'put /api/queues/:queueName/retry/:queueStatus',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/clean',
  'put /api/queues/:queueName/:jobId/promote',
]);

/** Configuration of the task board's page, such as its title. */
export const queueBoardConfig: UIConfig = {
  boardTitle: 'Background queues',
  favIcon: { default: 'static/images/logo.svg', alternative: 'static/favicon-32x32.png' },
  hideRedisDetails: true,
  hideDocsLink: true,
};

/** HTTP request that the task board's page sends to its API. */
export interface QueueBoardRequest {
  readonly method: string;
  /** URL path of the request, relative to the path of the task board. Begins with `/api/`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

interface QueueBoardRoute {
  readonly method: string;
  readonly pattern: RegExp;
  readonly handler: AppControllerRoute['handler'];
}

/** Handles requests to the API of Bull Board's page, without an HTTP server. */
export class QueueBoardRoutes {
  #routes: readonly QueueBoardRoute[] = [];
  #queues: BullBoardQueues = new Map();

  constructor(queue: TaskBoardQueue) {
    const collector: IServerAdapter = {
      setQueues: (queues) => {
        this.#queues = queues;
        return collector;
      },
      setApiRoutes: (routes) => {
        this.#routes = routes.flatMap(createQueueBoardRoutes);
        return collector;
      },
      setViewsPath: () => collector,
      setStaticPath: () => collector,
      setEntryRoute: () => collector,
      setErrorHandler: () => collector,
      setUIConfig: () => collector,
    };
    createBullBoard({
      queues: [queue],
      serverAdapter: collector,
      options: { uiBasePath: queueBoardFilesFolder, uiConfig: queueBoardConfig },
    });
  }

  /** Handles a request of the task board's page. Returns null for an unsupported route. */
  async respondToRequest({
    method,
    path,
    query,
  }: QueueBoardRequest): Promise<{ status: number; body: unknown } | null> {
    for (const route of this.#routes) {
      const match = route.method === method ? route.pattern.exec(path) : null;
      if (match === null) continue;
      const { status = 200, body } = await route.handler({
        queues: this.#queues,
        uiConfig: queueBoardConfig,
        query: Object.fromEntries(query),
        params: { ...match.groups },
        body: {},
        headers: {},
      });
      return { status, body };
    }
    return null;
  }
}

function createQueueBoardRoutes({ method, route, handler }: AppControllerRoute): QueueBoardRoute[] {
  return [method].flat().flatMap((verb) =>
    [route]
      .flat()
      .filter((path) => supportedQueueBoardRoutes.has(`${verb} ${path}`))
      .map((path) => ({
        method: verb.toUpperCase(),
        pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`),
        handler,
      })),
  );
}
