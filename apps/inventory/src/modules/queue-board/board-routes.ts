import { createBullBoard } from '@bull-board/api';
import type { AppControllerRoute, BullBoardQueues, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import { uiFolder } from './board-page.js';
import type { TaskBoardQueue } from './task-board-queue.js';

/** Paths that the board's page requests and that deliveries support. Everything else is not there. */
const served: ReadonlySet<string> = new Set([
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

/** Configuration that the page gets. */
export const boardConfig: UIConfig = {
  boardTitle: 'Background queues',
  favIcon: { default: 'static/images/logo.svg', alternative: 'static/favicon-32x32.png' },
  hideRedisDetails: true,
  hideDocsLink: true,
};

/** A request to the API behind the page. */
export interface BoardRequest {
  readonly method: string;
  /** Below the base path, beginning with `/api/`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly handler: AppControllerRoute['handler'];
}

/** The API behind the page of Bull Board, without a server of its own. */
export class BoardRoutes {
  #routes: readonly Route[] = [];
  #queues: BullBoardQueues = new Map();

  constructor(queue: TaskBoardQueue) {
    const collector: IServerAdapter = {
      setQueues: (queues) => {
        this.#queues = queues;
        return collector;
      },
      setApiRoutes: (routes) => {
        this.#routes = routes.flatMap(routesOf);
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
      options: { uiBasePath: uiFolder, uiConfig: boardConfig },
    });
  }

  /** Returns the response, or null for a path that is not served. */
  async answer({ method, path, query }: BoardRequest): Promise<{ status: number; body: unknown } | null> {
    for (const route of this.#routes) {
      const match = route.method === method ? route.pattern.exec(path) : null;
      if (match === null) continue;
      const { status = 200, body } = await route.handler({
        queues: this.#queues,
        uiConfig: boardConfig,
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

function routesOf({ method, route, handler }: AppControllerRoute): Route[] {
  return [method].flat().flatMap((verb) =>
    [route]
      .flat()
      .filter((path) => served.has(`${verb} ${path}`))
      .map((path) => ({
        method: verb.toUpperCase(),
        pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`),
        handler,
      })),
  );
}
