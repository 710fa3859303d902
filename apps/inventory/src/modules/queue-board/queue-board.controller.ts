import { Public } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionStore } from '../../auth/session-store.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { htmlPageHeaders } from '../../http/browsable-page.js';
import { sessionCookie } from '../../http/cookies.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { WebhookDeliveryTasks } from '../../webhooks/index.js';
import { callWithRedisErrorConversion } from '../background/convert-redis-errors.js';
import {
  findQueueBoardAsset,
  renderQueueBoardPage,
  queueBoardPath,
  queueBoardContentSecurityPolicy,
} from './queue-board-page.js';
import { queueBoardConfig, QueueBoardRoutes } from './queue-board-routes.js';
import { TaskBoardQueue } from './task-board-queue.js';

/**
 * Regular expression of the URL paths that are views of the task board. All these paths get the same HTML page, whose
 * script shows the view.
 */
const queueBoardViewPathPattern = /^\/(job-schedulers\/?|queue\/[^/]+(\/[^/]+)?\/?)?$/;

/**
 * Endpoint `/admin/queues/`, which shows background tasks as an HTML page. Only superusers with a browser session may
 * use the page.
 */
@Controller('admin/queues')
export class QueueBoardController {
  readonly #sessions: SessionStore;
  readonly #routes: QueueBoardRoutes;

  constructor(@Inject(INVENTORY_CONTEXT) { database, deliveryJobs, responses }: InventoryContext) {
    this.#sessions = new SessionStore(database);
    const tasks = new WebhookDeliveryTasks(database, deliveryJobs, responses.limits.inMemory);
    this.#routes = new QueueBoardRoutes(new TaskBoardQueue(tasks));
  }

  /** Responds with the page of the task board, with a file of the page, or with data from the API of the page. */
  @Public()
  @All(['', '*'])
  async serveQueueBoard(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    const { path, query } = getRequestPathAndQuery(request);
    const below = `/${path.slice(queueBoardPath.length)}`;
    const isApi = below.startsWith('/api/');
    reply.headers({ 'cache-control': 'no-store', vary: 'Cookie, Origin', 'x-content-type-options': 'nosniff' });
    if (!(await this.#isLoggedIn(request))) {
      if (isApi || method !== 'GET') throw inventoryErrors.create('NOT_AUTHENTICATED');
      reply.redirect(`/login/?next=${encodeURIComponent(request.url)}`, 302);
      return;
    }
    if (isApi) return this.#sendBoardResponse(request, reply, below, query);
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    if (below.startsWith('/static/')) {
      const { type, content } = await findQueueBoardAsset(below.slice('/static/'.length));
      await reply.headers({ 'content-type': type, 'cache-control': 'private, max-age=3600' }).send(content);
      return;
    }
    if (!queueBoardViewPathPattern.test(below)) throw inventoryErrors.create('NOT_FOUND');
    const page = await renderQueueBoardPage(queueBoardConfig);
    await reply.headers({ ...htmlPageHeaders, 'content-security-policy': queueBoardContentSecurityPolicy }).send(page);
  }

  /**
   * Returns true if the request has a session.
   *
   * @throws ApplicationError PERMISSION_DENIED if the user is not a superuser
   */
  async #isLoggedIn(request: FastifyRequest): Promise<boolean> {
    const session = await this.#sessions.findSession(request.cookies[sessionCookie] ?? '');
    if (session !== null && !session.actor.isSuperuser) throw inventoryErrors.create('PERMISSION_DENIED');
    return session !== null;
  }

  async #sendBoardResponse(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const { method } = request;
    if (method !== 'GET') requireSameOrigin(request);
    const response = await callWithRedisErrorConversion(() => this.#routes.respondToRequest({ method, path, query }));
    if (response === null) throw inventoryErrors.create('NOT_FOUND');
    await reply.code(response.status).send(response.body);
  }
}

/**
 * Rejects cross-site requests by their headers `Origin` and `Sec-Fetch-Site`, because the task board's script sends no
 * CSRF token. Other sites cannot set these headers. A request with neither header is rejected.
 *
 * @throws ApplicationError CSRF_FAILED
 */
function requireSameOrigin(request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const same = origin === undefined ? site === 'same-origin' : origin === getRequestUrlBase(request);
  if (!same || (site !== undefined && site !== 'same-origin')) {
    throw inventoryErrors.create('CSRF_FAILED', {
      params: { reason: 'The request does not come from the page itself.' },
    });
  }
}
