import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ErrorRenderer } from '@switchboard/errors';

/** Error that Node emits for a connection on which no request could be parsed. */
interface ConnectionError extends Error {
  code?: string;
}

interface ConnectionFault {
  status: number;
  reason: string;
}

const UNREADABLE_REQUEST_FAULT: ConnectionFault = { status: 400, reason: 'Bad Request' };

const CONNECTION_FAULT_BY_CODE: Record<string, ConnectionFault> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: 'Request Header Fields Too Large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, reason: 'Content Too Large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'Request Timeout' },
};

/**
 * Returns the handler for connections on which no request can be parsed. The handler sends an error response in the
 * service's error format, then closes the connection. This applies to bytes that are not an HTTP request, and to
 * requests that take too long to arrive. There is no request object, so the response is written directly to the socket.
 */
export function createConnectionErrorHandler(
  renderer: ErrorRenderer,
): (error: ConnectionError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, reason } = CONNECTION_FAULT_BY_CODE[error.code ?? ''] ?? UNREADABLE_REQUEST_FAULT;
    const context = { requestId: randomUUID(), method: '', url: '' };
    const fault = renderer.fromHttp(status, reason, context);
    const rendered = renderer.render(fault, context);
    const body = JSON.stringify(rendered.body);
    const head = [
      // The reason phrase is empty if the renderer changed the status.
      `HTTP/1.1 ${rendered.status} ${rendered.status === status ? reason : ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}
