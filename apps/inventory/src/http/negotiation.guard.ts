import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { getRequestPathAndQuery } from './request-urls.js';
import type { ApiPaths } from './api-paths.js';
import { negotiateResponseFormat } from './negotiate-response-format.js';

/**
 * Returns a Nest guard that runs before authentication and rejects requests for response formats that the path does not
 * support.
 */
export const createResponseFormatGuard = (api: ApiPaths): CanActivate => ({
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { path, query } = getRequestPathAndQuery(request);
    // The schema endpoints have other media types.
    if (!path.startsWith('/api/schema'))
      negotiateResponseFormat(request.headers.accept, query, { text: api.canRespondWithText(path) });
    return true;
  },
});
