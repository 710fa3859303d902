import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { getClientName } from './client-name.js';
import { type DecodedParameters, decodeParameters, type ParameterDefinition } from './parameters.js';
import { collectUndecodedParameters } from './raw-parameters.js';

/** A request whose parameters were decoded. The response reports the names of unknown parameters as ignored. */
export interface RequestWithDecodedParameters {
  ignoredParameters?: readonly string[];
}

export type DecodedParametersOfDefinition<D> =
  D extends ParameterDefinition<infer S> ? DecodedParameters<S>['values'] : never;

/** Parameter decorator that provides the request parameters, decoded by the given {@link ParameterDefinition}. */
export const RequestParameters = createParamDecorator(
  (definition: ParameterDefinition<z.ZodObject>, context: ExecutionContext) => {
    const request = context.switchToHttp().getRequest<FastifyRequest & RequestWithDecodedParameters>();
    const { values, ignored } = decodeParameters(
      definition,
      collectUndecodedParameters(request),
      request.server.requestLimits,
    );
    request.ignoredParameters = ignored;
    return values;
  },
);

/** Parameter decorator that provides the name of the client program (docs/contract/chat.md 1.8). */
export const ClientName = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return getClientName(collectUndecodedParameters(request), request.headers['user-agent']);
});

/** Parameter decorator that provides the host name of the request, without the port. */
export const RequestHost = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().hostname,
);

/**
 * Parameter decorator that provides scheme, host and port of links to the realm, for example `http://localhost:9991`.
 */
export const RequestOrigin = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().publicOrigin,
);

/**
 * Parameter decorator that provides the raw response object of Node. The object emits `close` after the response was
 * sent or when the client disconnects.
 */
export const RawResponse = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getResponse<FastifyReply>().raw,
);
