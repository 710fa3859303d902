import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if incoming webhook bots may call the endpoint. Set by the decorator {@link AllowWebhookBots}. */
    opensToWebhooks?: boolean;
  }
}

/**
 * Method decorator for endpoints that incoming webhook bots may call. Incoming webhook bots can only send messages
 * (docs/contract/chat.md 1.2).
 */
export const AllowWebhookBots = (): MethodDecorator => RouteConfig({ opensToWebhooks: true });

/**
 * Rejects the request of an incoming webhook bot to an endpoint that is closed to such bots.
 *
 * @throws ApplicationError BAD_REQUEST if an incoming webhook bot calls an endpoint that is not open to such bots
 */
export function rejectWebhookBots(request: FastifyRequest, actor: ChatActor | null): void {
  if (actor?.isIncomingWebhook !== true || request.routeOptions.config.opensToWebhooks === true) return;
  throw createBadRequestError('This API is not available to incoming webhook bots.');
}
