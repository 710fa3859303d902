import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { addressOf } from './addresses.js';
import type { Api } from './api.js';
import { negotiate } from './negotiation.js';

/** Returns a guard that rejects requests for unsupported media types before authentication. */
export const negotiationGuard = (api: Api): CanActivate => ({
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { path, query } = addressOf(request);
    // The schema endpoints have other media types.
    if (!path.startsWith('/api/schema')) negotiate(request.headers.accept, query, { text: api.hasText(path) });
    return true;
  },
});
