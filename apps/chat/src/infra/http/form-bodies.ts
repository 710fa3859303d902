import multipart from '@fastify/multipart';
import { ApplicationError } from '@switchboard/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createBadRequestError } from '../../errors.js';
import { createBodyTooLargeError } from './error-renderer.js';
import { isEmptyMultipartForm } from './file-upload-form.js';
import { type UnparsedRequestBody, getUnparsedRequestBody } from './raw-body.js';
import { FormBody } from './raw-parameters.js';

/** Maximum number of fields in a form body: far more than an endpoint has parameters, and a small amount of memory. */
const maxFormFields = 1000;

/**
 * Registers parsers for the two form encodings of docs/contract/chat.md 1.3, for all methods with a body. A body of
 * another content type is read and treated as empty. The protocol has no JSON bodies, and clients sometimes send
 * requests without a content type.
 */
export async function registerFormParsers(fastify: FastifyInstance, bodyLimitBytes: number): Promise<void> {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, readUrlencodedBody);
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, discardRequestBody);
  // The bytes of a resumable upload, which its endpoint reads after authentication.
  fastify.addContentTypeParser('application/offset+octet-stream', (_request, payload, done) => done(null, payload));
  await fastify.register(multipart, {
    limits: { fieldSize: bodyLimitBytes, fields: maxFormFields, parts: maxFormFields, fileSize: bodyLimitBytes },
    throwFileSizeLimit: false,
  });
  // If a parser stops early, the rest of the body stays in the connection. Its next request would then wait forever.
  fastify.addHook('onResponse', async ({ raw }) => {
    if (raw.readableEnded) return;
    raw.unpipe();
    raw.resume();
  });
  fastify.addHook('preValidation', async (request) => {
    // Endpoints that accept a file read it themselves, after authentication.
    if (request.routeOptions.config.takesFile === true) return;
    if (request.isMultipart()) request.body = await multipartBodyPlaceholder(request, bodyLimitBytes);
  });
}

async function readUrlencodedBody(
  request: FastifyRequest,
  body: string | Buffer,
): Promise<FormBody | UnparsedRequestBody> {
  const raw = getUnparsedRequestBody(request, body);
  if (raw !== undefined) return raw;
  const fields = new Map(new URLSearchParams(String(body)));
  if (fields.size > maxFormFields)
    throw createBadRequestError(`The body has too many fields (limit: ${maxFormFields})`);
  return new FormBody(fields);
}

async function discardRequestBody(
  request: FastifyRequest,
  body: string | Buffer,
): Promise<FormBody | UnparsedRequestBody> {
  const raw = getUnparsedRequestBody(request, body);
  if (raw !== undefined) return raw;
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  return body.length === 0 ? new FormBody(new Map()) : new FormBody(new Map(), type.trim().slice(0, 100));
}

/**
 * Reads the fields of a multipart body, for endpoints without files. Files are read and discarded, because the client
 * waits until the server has read the files.
 *
 * @throws ApplicationError BAD_REQUEST for a malformed body, or if the fields together exceed the limit
 */
async function multipartBodyPlaceholder(request: FastifyRequest, bodyLimitBytes: number): Promise<FormBody> {
  const fields = new Map<string, string>();
  let size = 0;
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        part.file.resume();
        continue;
      }
      const value = String(part.value);
      size += part.fieldname.length + value.length;
      if (size > bodyLimitBytes) throw createBadRequestError(createBodyTooLargeError(bodyLimitBytes));
      fields.set(part.fieldname, value);
    }
  } catch (error) {
    if (error instanceof ApplicationError) throw error;
    // Some clients send a form without fields as a body that consists only of its closing boundary.
    if (isEmptyMultipartForm(request, error)) return new FormBody(fields);
    throw createBadRequestError('Malformed form data');
  }
  return new FormBody(fields);
}
