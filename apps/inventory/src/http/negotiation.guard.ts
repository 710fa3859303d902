import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { addressOf } from './addresses.js';
import { renderPath } from './frame.js';
import { negotiate } from './negotiation.js';

/** Refuses what cannot be answered before anybody asks who wants it. */
export const negotiationGuard: CanActivate = {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { path, query } = addressOf(request);
    // The schema has media types of its own.
    if (!path.startsWith('/api/schema')) negotiate(request.headers.accept, query, { text: renderPath.test(path) });
    return true;
  },
};
