import { createBullBoard } from '@bull-board/api';
import type { AppControllerRoute, BullBoardQueues, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import type { QueueBoardQueue, QueueBoardQueueActions } from '../queue-board-queue.js';
import { bullBoardFilesFolder } from './bull-board-files.js';
import { BullBoardQueue, MAX_PAYLOAD_BYTES_PER_LIST } from './bull-board-queue.js';

/**
 * Routes of Bull Board's API that the board serves, with the action that a queue must have; null for routes that only
 * read. Requests to other routes get status 404.
 */
const servedRoutes: ReadonlyMap<string, keyof QueueBoardQueueActions | null> = new Map([
  ['get /api/queues', null],
  ['get /api/job-schedulers', null],
  ['get /api/queues/:queueName/default-job-options', null],
  ['get /api/queues/:queueName/workers', null],
  ['get /api/queues/:queueName/:jobId/logs', null],
  ['get /api/queues/:queueName/:jobId', null],
  ['put /api/queues/pause', 'pause'],
  ['put /api/queues/resume', 'resume'],
  ['put /api/queues/:queueName/retry/:queueStatus', 'retryJob'],
  ['put /api/queues/:queueName/clean/:queueStatus', 'removeFailedJobs'],
  ['put /api/queues/:queueName/pause', 'pause'],
  ['put /api/queues/:queueName/resume', 'resume'],
  ['put /api/queues/:queueName/:jobId/retry', 'retryJob'],
  ['put /api/queues/:queueName/:jobId/clean', 'removeJob'],
  ['put /api/queues/:queueName/:jobId/promote', 'promoteJob'],
]);

/** Request to the API of Bull Board's page. */
interface BullBoardRequest {
  readonly method: string;
  /** URL path of the request, relative to the path of the board. Begins with `/api/`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

interface BullBoardRoute {
  readonly method: string;
  readonly pattern: RegExp;
  readonly action: keyof QueueBoardQueueActions | null;
  readonly handler: AppControllerRoute['handler'];
}

/** Handles requests to the API of Bull Board's page, without an HTTP server. */
export class BullBoardRoutes {
  #routes: readonly BullBoardRoute[] = [];

  constructor(
    private readonly config: UIConfig,
    private readonly showPayload: (payload: unknown, queue: string) => unknown,
  ) {
    const collector: IServerAdapter = {
      setQueues: () => collector,
      setApiRoutes: (routes) => {
        this.#routes = routes.flatMap(createBullBoardRoutes);
        return collector;
      },
      setViewsPath: () => collector,
      setStaticPath: () => collector,
      setEntryRoute: () => collector,
      setErrorHandler: () => collector,
      setUIConfig: () => collector,
    };
    createBullBoard({
      queues: [],
      serverAdapter: collector,
      options: { uiBasePath: bullBoardFilesFolder, uiConfig: config },
    });
  }

  /**
   * Handles a request of the page. Returns null for a route that the board does not serve, and for an action that the
   * queue does not have.
   */
  async respondToRequest(
    { method, path, query }: BullBoardRequest,
    queues: readonly QueueBoardQueue[],
  ): Promise<{ status: number; body: unknown } | null> {
    for (const { method: routeMethod, pattern, action, handler } of this.#routes) {
      const match = routeMethod === method ? pattern.exec(path) : null;
      if (match === null) continue;
      const params = decodeParameters(match.groups ?? {});
      if (params === null || !isActionOffered(action, queues, params['queueName'])) return null;
      const { status = 200, body } = await handler({
        // A change, such as the retry of all failed jobs, needs their ids alone.
        queues: this.#describeQueues(queues, method === 'GET' ? MAX_PAYLOAD_BYTES_PER_LIST : 0),
        uiConfig: this.config,
        query: toBullBoardQuery(query),
        params,
        body: {},
        headers: {},
      });
      return { status, body };
    }
    return null;
  }

  #describeQueues(queues: readonly QueueBoardQueue[], maxBytes: number): BullBoardQueues {
    return new Map(
      queues.map((queue) => [
        queue.name,
        new BullBoardQueue(queue, (payload) => this.showPayload(payload, queue.name), maxBytes),
      ]),
    );
  }
}

function createBullBoardRoutes({ method, route, handler }: AppControllerRoute): BullBoardRoute[] {
  return [method].flat().flatMap((verb) =>
    [route].flat().flatMap((path) => {
      const action = servedRoutes.get(`${verb} ${path}`);
      if (action === undefined) return [];
      const pattern = new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`);
      return [{ method: verb.toUpperCase(), pattern, action, handler }];
    }),
  );
}

/** Returns true if the named queue, or any queue for a request that names none, has an action. */
function isActionOffered(
  action: keyof QueueBoardQueueActions | null,
  queues: readonly QueueBoardQueue[],
  name: string | undefined,
): boolean {
  if (action === null) return true;
  const concerned = name === undefined ? queues : queues.filter((queue) => queue.name === name);
  // Bull Board responds to a request for an unknown queue.
  return concerned.length === 0 || concerned.some((queue) => queue[action] !== undefined);
}

/** Decodes the parameters of a URL path. Returns null if a parameter is not valid. */
function decodeParameters(groups: Readonly<Record<string, string>>): Record<string, string> | null {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return null;
  }
}

/** Returns query parameters, without the queue names that Bull Board would fail to decode. */
function toBullBoardQuery(query: URLSearchParams): Record<string, string> {
  const values = Object.fromEntries(query);
  for (const name of ['activeQueue', 'queueName']) {
    const text = values[name];
    if (text !== undefined && decodeParameters({ text }) === null) delete values[name];
  }
  return values;
}
