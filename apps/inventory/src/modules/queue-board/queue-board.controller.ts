import { type QueueBoardError, type QueueBoardHandler, createQueueBoardHandler } from '@switchboard/board';
import type { ApplicationError } from '@switchboard/errors';
import { Public } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionStore } from '../../auth/session-store.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { sessionCookie } from '../../http/cookies.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { WebhookDeliveryTasks } from '../../webhooks/index.js';
import { TaskBoardQueue } from './task-board-queue.js';

/**
 * Endpoint `/admin/queues/`, which shows background tasks as an HTML page. Only superusers with a browser session may
 * use the page.
 */
@Controller('admin/queues')
export class QueueBoardController {
  readonly #sessions: SessionStore;
  readonly #handle: QueueBoardHandler;

  constructor(@Inject(INVENTORY_CONTEXT) { database, deliveryJobs, responses }: InventoryContext) {
    this.#sessions = new SessionStore(database);
    const tasks = new WebhookDeliveryTasks(database, deliveryJobs, responses.limits.inMemory);
    this.#handle = createQueueBoardHandler({
      queues: [new TaskBoardQueue(tasks)],
      guard: (request, reply) => this.#requireSuperuserSession(request, reply),
      getOrigin: getRequestUrlBase,
      createError: createInventoryError,
    });
  }

  /** Responds with the page of the task board, with a file of the page, or with data from the API of the page. */
  @Public()
  @All(['', '*'])
  async serveQueueBoard(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#handle(request, reply);
  }

  /**
   * Returns true for a superuser with a session. Redirects a browser without a session to the login page.
   *
   * @throws ApplicationError NOT_AUTHENTICATED for other requests without a session, and PERMISSION_DENIED if the user is
   *   not a superuser
   */
  async #requireSuperuserSession(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const session = await this.#sessions.findSession(request.cookies[sessionCookie] ?? '');
    if (session !== null) {
      if (!session.actor.isSuperuser) throw inventoryErrors.create('PERMISSION_DENIED');
      return true;
    }
    const isApi = getRequestPathAndQuery(request).path.startsWith('/admin/queues/api/');
    if (isApi || request.method !== 'GET') throw inventoryErrors.create('NOT_AUTHENTICATED');
    await reply.redirect(`/login/?next=${encodeURIComponent(request.url)}`, 302);
    return false;
  }
}

function createInventoryError(error: QueueBoardError, { method }: FastifyRequest): ApplicationError {
  switch (error.code) {
    case 'BOARD_CROSS_SITE_REQUEST':
      return inventoryErrors.create('CSRF_FAILED', {
        params: { reason: 'The request does not come from the page itself.' },
      });
    case 'BOARD_FORBIDDEN':
      return inventoryErrors.create('PERMISSION_DENIED');
    case 'BOARD_METHOD_NOT_ALLOWED':
      return inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    case 'BOARD_UNAVAILABLE':
      return inventoryErrors.create('QUEUES_UNAVAILABLE', { cause: error });
    case 'BOARD_NOT_FOUND':
      return inventoryErrors.create('NOT_FOUND', { cause: error });
  }
}
