import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApplicationError } from '@switchboard/errors';
import { ERRORS, type Locker, Server, type ServerOptions } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { ResumableUploads, createUploadTooLargeError } from './resumable-uploads.action.js';
import { TusUploadStore } from './tus-upload-store.js';

/** Response to a request of the tus protocol for resumable uploads. */
export interface TusResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * URL path of the tus server, without host and prefix of the service. The tus library receives rewritten URLs with this
 * path.
 */
const tusPath = '/tus';

/**
 * Lock implementation without effect, because the tus library requires a lock. If several requests send bytes for one
 * offset, only one request can store the first part.
 */
const tusLockerWithoutLocks: Locker = {
  newLock: () => ({ lock: () => Promise.resolve(), unlock: () => Promise.resolve() }),
};

/** HTTP statuses of errors by error code. Tus clients would repeat these requests if the status were 400. */
const finalStatusByErrorCode: Readonly<Record<string, number>> = { REALM_UPLOAD_QUOTA: 413 };

/** Handles requests of the tus protocol 1.0 (https://tus.io/protocols/resumable-upload). */
@Injectable()
export class HandleTusRequest {
  constructor(private readonly uploads: ResumableUploads) {}

  /**
   * Processes one request of the tus protocol and returns the response.
   *
   * @throws ApplicationError
   */
  async run(actor: ChatActor, request: FastifyRequest, id: string | null): Promise<TusResponse> {
    const early = createUnsupportedFeatureResponse(request);
    if (early !== null) return early;
    if (id !== null && request.method === 'HEAD') await this.#finishIfComplete(actor, id);
    let failure: unknown;
    const server = new Server({
      path: tusPath,
      datastore: new TusUploadStore(this.uploads, actor),
      locker: tusLockerWithoutLocks,
      disableTerminationForFinishedUploads: true,
      namingFunction: () => randomBytes(24).toString('base64url'),
      generateUrl: (_request, { id: created }) => `${getTusCreationPath(request)}/${created}`,
      onUploadFinish: (_request, upload) => this.#finishUpload(actor, upload.id),
      onResponseError: (_request, error) => {
        failure = error;
        return undefined;
      },
    } satisfies ServerOptions & { datastore: TusUploadStore });
    const response = await server.handleWeb(toTusWebRequest(request, id) as Parameters<Server['handleWeb']>[0]);
    if (failure instanceof ApplicationError) return createTusErrorResponse(failure);
    if (failure instanceof Error && !hasHttpStatus(failure)) throw failure;
    const headers = Object.fromEntries(response.headers);
    const text = await response.text();
    if (response.status < 400) return { status: response.status, headers, body: text };
    const { 'content-length': _length, ...others } = headers;
    return createTusJsonResponse(response.status, { result: 'error', msg: text.trim(), code: 'BAD_REQUEST' }, others);
  }

  /**
   * Joins the parts of an upload if all bytes were received. The process that received the bytes may have been killed
   * before the join.
   */
  async #finishIfComplete(actor: ChatActor, id: string): Promise<void> {
    const upload = await this.uploads.find(actor, id);
    if (upload !== null && upload.received === upload.size) await this.uploads.joinPartsToAttachment(actor, upload);
  }

  async #finishUpload(actor: ChatActor, id: string) {
    const upload = await this.uploads.find(actor, id);
    const pathId = upload === null ? null : await this.uploads.joinPartsToAttachment(actor, upload);
    if (upload === null || pathId === null) throw ERRORS.FILE_NOT_FOUND;
    const { body, headers } = createTusJsonResponse(200, { url: `/user_uploads/${pathId}`, filename: upload.fileName });
    return { status_code: 200, headers, body };
  }
}

/** Returns the error response to a request for a tus feature that the server does not support, otherwise null. */
function createUnsupportedFeatureResponse({ method, headers }: FastifyRequest): TusResponse | null {
  if (method !== 'POST') return null;
  const refusal = (status: number, msg: string) =>
    createTusJsonResponse(status, { result: 'error', msg, code: 'BAD_REQUEST' });
  if (headers['upload-defer-length'] !== undefined) return refusal(411, 'SizeIsDeferred is not supported');
  if (headers['upload-concat'] !== undefined) return refusal(400, 'Concatenation of uploads is not supported');
  return null;
}

/**
 * Returns true for errors of the tus library that have an HTTP status. An example is the error for a body that exceeds
 * the declared size of the upload.
 */
function hasHttpStatus(error: Error): boolean {
  return 'status_code' in error && typeof error.status_code === 'number';
}

function createTusErrorResponse(error: ApplicationError): TusResponse {
  const status =
    error.message === createUploadTooLargeError().message ? 413 : (finalStatusByErrorCode[error.code] ?? error.status);
  return createTusJsonResponse(status, { result: 'error', msg: error.message, code: error.code });
}

function createTusJsonResponse(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): TusResponse {
  const contentType = { 'content-type': 'application/json', 'tus-resumable': '1.0.0' };
  return { status, headers: { ...headers, ...contentType }, body: JSON.stringify(body) };
}

/** Returns the URL path at which the client creates uploads: `/api/v1/tus` or `/json/tus`. */
function getTusCreationPath({ originalUrl }: FastifyRequest): string {
  return /^\/(?:api\/v1|json)\/tus/.exec(originalUrl)?.[0] ?? '/api/v1/tus';
}

function toTusWebRequest(request: FastifyRequest, id: string | null): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && !name.startsWith(':')) headers.set(name, value);
  }
  headers.delete('x-http-method-override');
  const { method } = request;
  const body = request.body instanceof Readable && method !== 'HEAD' ? Readable.toWeb(request.body) : null;
  const url = `http://localhost${tusPath}${id === null ? '' : `/${encodeURIComponent(id)}`}`;
  return new Request(url, { method, headers, body, duplex: 'half' } as RequestInit);
}
