import type { UIConfig } from '@bull-board/api/typings/app';
import { QueueBoardError } from './queue-board-error.js';
import type { QueueBoardOptions } from './queue-board-options.js';
import type { QueueBoardQueue } from './queue-board-queue.js';
import { boardIcons, readBullBoardFile, renderBullBoardPage } from './bull-board/bull-board-files.js';
import { BullBoardRoutes } from './bull-board/bull-board-routes.js';
import { listDeadLetterQueues } from './dead-letter-queue.js';
import { readEventLog, renderEventLogPage } from './event-log-page.js';
import { JobKindQueue } from './job-kind-queue.js';

/**
 * Content Security Policy of the pages. The policy allows the inline styles that the script of the board adds. It
 * allows files of this service, and no files of other hosts.
 */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'self'";

/** Response headers of the HTML pages. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Regular expression of the URL paths that are views of the board. All these paths get the same HTML page, whose script
 * shows the view.
 */
const viewPathPattern = /^\/(job-schedulers\/?|queue\/[^/]+(\/[^/]+)?\/?)?$/;

const eventLogPathPattern = /^\/event-log\/?$/;

const eventLogApiPathPattern = /^\/api\/event-log\/?$/;

/** HTTP request to the board, which the guard of the service has admitted. */
export interface QueueBoardRequest {
  readonly method: string;
  /** URL path of the request, relative to the path of the board. Begins with a slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** URL path of the board as browsers see it, with a slash at the end. */
  readonly basePath: string;
  /** True if the browser sends the request from a page of the service itself. */
  readonly isSameOrigin: boolean;
}

/** HTTP response of the board. */
interface QueueBoardResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Responds to the requests of a board, without an HTTP server and without authentication. */
export class QueueBoard {
  readonly #options: QueueBoardOptions;
  readonly #title: string;
  readonly #config: UIConfig;
  readonly #routes: BullBoardRoutes;

  constructor(options: QueueBoardOptions) {
    const { title = 'Background queues', eventLog, showPayload = (payload) => payload } = options;
    this.#options = options;
    this.#title = title;
    this.#config = {
      boardTitle: title,
      favIcon: boardIcons,
      hideRedisDetails: true,
      hideDocsLink: true,
      ...(eventLog === undefined ? {} : { miscLinks: [{ text: 'Event log', url: 'event-log' }] }),
    };
    this.#routes = new BullBoardRoutes(this.#config, showPayload);
  }

  /**
   * Responds to a request.
   *
   * @throws QueueBoardError for an unknown path, a method that is not allowed, and a change that another site requests
   * @throws RedisUnavailableError while Redis is unavailable
   */
  async respondToRequest(request: QueueBoardRequest): Promise<QueueBoardResponse> {
    const { method, path, query, basePath } = request;
    if (path.startsWith('/api/')) return this.#respondToApiRequest(request);
    if (method !== 'GET' && method !== 'HEAD') throw new QueueBoardError('BOARD_METHOD_NOT_ALLOWED');
    if (path.startsWith('/static/')) {
      const { type, content } = await readBullBoardFile(path.slice('/static/'.length));
      return {
        status: 200,
        headers: { 'content-type': type, 'cache-control': 'private, max-age=3600' },
        body: content,
      };
    }
    const { eventLog } = this.#options;
    if (eventLog !== undefined && eventLogPathPattern.test(path)) {
      const page = renderEventLogPage(basePath, this.#title, await readEventLog(eventLog, query));
      return { status: 200, headers: pageHeaders, body: page };
    }
    if (!viewPathPattern.test(path)) throw new QueueBoardError('BOARD_NOT_FOUND');
    const page = await renderBullBoardPage(basePath, this.#title, this.#config);
    return { status: 200, headers: pageHeaders, body: page };
  }

  async #respondToApiRequest({ method, path, query, isSameOrigin }: QueueBoardRequest): Promise<QueueBoardResponse> {
    if (method !== 'GET' && !isSameOrigin) throw new QueueBoardError('BOARD_CROSS_SITE_REQUEST');
    const { eventLog } = this.#options;
    if (method === 'GET' && eventLog !== undefined && eventLogApiPathPattern.test(path)) {
      return { status: 200, headers: {}, body: await readEventLog(eventLog, query) };
    }
    const response = await this.#routes.respondToRequest({ method, path, query }, await this.#listQueues());
    if (response === null) throw new QueueBoardError('BOARD_NOT_FOUND');
    return { ...response, headers: {} };
  }

  async #listQueues(): Promise<QueueBoardQueue[]> {
    const { jobs, outbox, queues = [] } = this.#options;
    const kinds = jobs === undefined ? [] : jobs.kinds.map((kind) => new JobKindQueue(jobs, kind));
    const deadLetters = outbox === undefined ? [] : await listDeadLetterQueues(outbox);
    return [...queues, ...kinds, ...deadLetters];
  }
}
