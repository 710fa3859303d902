import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { type ErrorResponseReply, ErrorResponder } from '@switchboard/errors';
import type { FastifyRequest } from 'fastify';

/** Exception filter of a service, which sends the responses of {@link ErrorResponder}. */
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly responder: ErrorResponder<FastifyRequest>) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.responder.respond(exception, http.getRequest<FastifyRequest>(), http.getResponse<ErrorResponseReply>());
  }
}
