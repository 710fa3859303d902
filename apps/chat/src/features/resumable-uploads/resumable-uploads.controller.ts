import { Controller, Delete, Head, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { insufficientScopeBody, unauthorizedResponseBody } from '../../infra/http/envelope.schemas.js';
import { HandleTusRequest, type TusResponse } from './handle-tus-request.js';

const tusErrorResponseBody = z
  .strictObject({ result: z.literal('error'), msg: z.string(), code: z.string() })
  .meta({ id: 'TusError' });

const finishedResponseBody = z.strictObject({ url: z.string(), filename: z.string() }).meta({ id: 'FinishedUpload' });

const tusTags = ['uploads'];
const tusSecurity = ['basic'];
const uploadPathParameters = z.object({ id: z.string() });
const tusHeaders = z.object({ 'Tus-Resumable': z.literal('1.0.0') });
const createUploadHeaders = tusHeaders.extend({
  'Upload-Length': z.int().meta({ description: 'Size of the file in bytes' }),
  'Upload-Metadata': z.string().optional().meta({
    description: 'The pairs `filename` and `filetype` with their values in base64, separated by a comma',
  }),
});
const appendBytesHeaders = tusHeaders.extend({
  'Upload-Offset': z.int().meta({ description: 'Number of bytes that the service has stored' }),
});
const bytesSchema = z.string().meta({ format: 'binary', description: 'The next bytes of the file' });
const bytesContentType = 'application/offset+octet-stream';
const tusErrors = {
  400: {
    description: 'A header is missing or invalid, or the upload consists of too many small parts',
    schema: tusErrorResponseBody,
  },
  401: { description: 'The credentials are missing or invalid', schema: unauthorizedResponseBody },
  403: {
    description: 'The header Upload-Offset or the content type is missing, or the API key lacks the scope `send`',
    schema: z.union([tusErrorResponseBody, insufficientScopeBody]),
  },
  409: { description: 'The offset is not that of the upload', schema: tusErrorResponseBody },
  411: { description: 'The size of the file is not given', schema: tusErrorResponseBody },
  412: { description: 'The header Tus-Resumable is missing or names another version', schema: tusErrorResponseBody },
  413: { description: 'The file is larger than allowed, or exceeds the quota', schema: tusErrorResponseBody },
};
const uploadNotFoundResponse = {
  404: { description: 'The upload does not exist or has expired', schema: tusErrorResponseBody },
  410: { description: 'The upload has expired', schema: tusErrorResponseBody },
};
const uploadRemovedResponse = {
  404: { description: 'The upload was removed before it was finished', schema: tusErrorResponseBody },
};
const uploadFinishedResponse = { 200: { description: 'The file is complete', schema: finishedResponseBody } };

/** Endpoints for resumable uploads with the tus protocol (docs/contract/chat.md 2.C). */
@Controller('api/v1/tus')
export class ResumableUploadsController {
  constructor(private readonly requests: HandleTusRequest) {}

  @Post()
  @DescribeEndpoint({
    operationId: 'create-resumable-upload',
    scope: 'send',
    summary: 'Creates an upload that may be continued in several requests (tus 1.0)',
    tags: tusTags,
    security: tusSecurity,
    headerParams: createUploadHeaders,
    body: [{ contentType: bytesContentType, schema: bytesSchema.optional() }],
    responses: {
      201: { description: 'Created; Location is the URL of the upload' },
      ...uploadFinishedResponse,
      ...tusErrors,
      ...uploadRemovedResponse,
    },
  })
  create(@CurrentActor() actor: ChatActor, @Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.#handle(actor, null, request, reply);
  }

  @Patch(':id')
  @DescribeEndpoint({
    operationId: 'continue-resumable-upload',
    scope: 'send',
    summary: 'Appends bytes to an upload; the last request gets the URL of the file',
    tags: tusTags,
    security: tusSecurity,
    pathParams: uploadPathParameters,
    headerParams: appendBytesHeaders,
    body: [{ contentType: bytesContentType, schema: bytesSchema }],
    responses: { 204: { description: 'Stored' }, ...uploadFinishedResponse, ...tusErrors, ...uploadNotFoundResponse },
  })
  appendBytes(
    @CurrentActor() actor: ChatActor,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.#handle(actor, id, request, reply);
  }

  @Head(':id')
  @DescribeEndpoint({
    operationId: 'get-resumable-upload',
    scope: 'send',
    summary: 'Returns the number of stored bytes in the header Upload-Offset',
    tags: tusTags,
    security: tusSecurity,
    pathParams: uploadPathParameters,
    headerParams: tusHeaders,
    responses: { 200: { description: 'The state of the upload' }, ...tusErrors, ...uploadNotFoundResponse },
  })
  getUploadOffset(
    @CurrentActor() actor: ChatActor,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.#handle(actor, id, request, reply);
  }

  @Delete(':id')
  @DescribeEndpoint({
    operationId: 'remove-resumable-upload',
    scope: 'send',
    summary: 'Removes an unfinished upload',
    tags: tusTags,
    security: tusSecurity,
    pathParams: uploadPathParameters,
    headerParams: tusHeaders,
    responses: { 204: { description: 'Removed' }, ...tusErrors, ...uploadNotFoundResponse },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.#handle(actor, id, request, reply);
  }

  async #handle(actor: ChatActor, id: string | null, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const response: TusResponse = await this.requests.run(actor, request, id);
    await reply.code(response.status).headers(response.headers).send(response.body);
  }
}
