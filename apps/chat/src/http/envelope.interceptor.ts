import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { DecodedRequest } from './parameter-decorators.js';

/** Wraps what a handler returns in the success envelope, with the parameters it did not know (chat-contract 1.4). */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<object | undefined>): Observable<object> {
    const request = context.switchToHttp().getRequest<FastifyRequest & DecodedRequest>();
    return next.handle().pipe(map((data) => success(data, request.ignoredParameters ?? [])));
  }
}

function success(data: object | undefined, ignored: readonly string[]): object {
  const body = { result: 'success', msg: '', ...data };
  return ignored.length === 0 ? body : { ...body, ignored_parameters_unsupported: ignored };
}
