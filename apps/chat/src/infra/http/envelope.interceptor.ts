import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { RequestWithDecodedParameters } from './parameter-decorators.js';
import { serializeResponseBodyToChunks, createReadableResponseStream } from './json-byte-chunks.js';

/**
 * Adds the fields `result` and `msg`, and the names of unknown request parameters, to the response fields that a
 * handler returns (docs/contract/chat.md 1.4).
 */
@Injectable()
export class ResponseEnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<object | undefined>): Observable<object> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & RequestWithDecodedParameters & { params: object }>();
    return next
      .handle()
      .pipe(
        map((data) =>
          convertToResponseBody(
            createSuccessEnvelope(data, listIgnoredParameters(request)),
            http.getResponse<FastifyReply>(),
          ),
        ),
      );
  }
}

/**
 * Returns the names of ignored parameters of a request. Path parameters are not listed, because clients repeat path
 * parameters in the form body.
 */
function listIgnoredParameters({
  ignoredParameters = [],
  params,
}: RequestWithDecodedParameters & { params: object }): readonly string[] {
  return ignoredParameters.filter((name) => !Object.hasOwn(params, name));
}

function createSuccessEnvelope(data: object | undefined, ignored: readonly string[]): object {
  const body = { result: 'success', msg: '', ...data };
  return ignored.length === 0 ? body : { ...body, ignored_parameters_unsupported: ignored };
}

/**
 * Maximum number of listeners per event of a streamed response before Node warns of a leak. Fastify itself adds up to
 * seven listeners.
 */
const maxListenersOfStreamedResponse = 20;

/**
 * Returns a response body unchanged, or converts the body to a stream of bytes if the body contains serialized JSON.
 */
function convertToResponseBody(body: object, reply: FastifyReply): object {
  const json = serializeResponseBodyToChunks(body);
  if (json === null) return body;
  reply.raw.setMaxListeners(maxListenersOfStreamedResponse);
  void reply.header('content-type', 'application/json; charset=utf-8').header('content-length', json.byteLength);
  return createReadableResponseStream(json);
}
