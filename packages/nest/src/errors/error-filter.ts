import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import {
  type ErrorRenderer,
  type ErrorResponseReply,
  ErrorResponder,
  type ErrorResponderOptions,
} from '@switchboard/errors';
import type { FailedRequest } from '@switchboard/errors';

/** Exception filter of a service, for Nest on Fastify. The filter sends the responses of {@link ErrorResponder}. */
export class ErrorFilter<R extends FailedRequest = FailedRequest> implements ExceptionFilter {
  private readonly responder: ErrorResponder<R>;

  constructor(renderer: ErrorRenderer, options: ErrorResponderOptions<R>) {
    this.responder = new ErrorResponder(renderer, options);
  }

  /** Sends the error response for an exception that occurred during a request. */
  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.responder.respond(exception, http.getRequest<R>(), http.getResponse<ErrorResponseReply>());
  }
}
