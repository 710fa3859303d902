import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorRenderer } from '@switchboard/errors';

/** What Node reports of a connection on which no request could be read. */
interface ConnectionError extends Error {
  code?: string;
}

const STATUS_BY_CODE: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers bytes that are no HTTP request, or one that took too long to arrive, in the service's own error shape,
 * and closes the connection. There is no request object here, so the answer is written by hand.
 */
export function connectionErrors(renderer: ErrorRenderer): (error: ConnectionError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
    const context = { requestId: randomUUID(), method: '', url: '' };
    const fault = renderer.fromHttp(status, STATUS_CODES[status] ?? 'Bad Request', context);
    const rendered = renderer.render(fault, context);
    const body = JSON.stringify(rendered.body);
    const head = [
      `HTTP/1.1 ${rendered.status} ${STATUS_CODES[rendered.status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  };
}
