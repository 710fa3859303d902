import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { chatErrors } from '../../errors.js';
import { badRequestBody, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { RemainderOfUrlPath } from '../../infra/http/url-path-text.js';
import { type FileStorage, createPublicPictureKey, readStoredFile } from '../../infra/storage/index.js';
import { FILE_STORAGE_TOKEN } from '../../tokens.js';

const pictureContentTypeByExtension: Readonly<Record<string, string>> = { gif: 'image/gif', png: 'image/png' };

/**
 * Pattern of the file paths that this service generates for pictures. A path consists of an id, lower-case folder names
 * and a hexadecimal key.
 */
const generatedPicturePathPattern = /^\d+(?:\/[a-z]+){0,3}\/[0-9a-f]{16,64}(?:-[a-z]+)?\.(gif|png)$/;

/**
 * Endpoint that serves avatars and custom emoji to every client that has the URL. Clients can cache the responses
 * forever.
 */
@Controller('user_avatars')
export class PublicPicturesController {
  constructor(@Inject(FILE_STORAGE_TOKEN) private readonly storage: FileStorage) {}

  @Get('*')
  @Public()
  @DescribeEndpoint({
    operationId: 'load-public-picture',
    path: '/user_avatars/{path}',
    pathParams: z.object({ path: z.string() }),
    summary: 'Returns an avatar or a custom emoji',
    tags: ['uploads'],
    security: 'none',
    query: z.object({ version: z.string().optional() }),
    responses: {
      200: { description: 'The picture', contentType: '*/*' },
      400: { description: 'The request is invalid', schema: badRequestBody },
      ...notFoundErrorResponse,
    },
  })
  async loadPicture(@RemainderOfUrlPath() path: string, @Res() reply: FastifyReply) {
    const ending = generatedPicturePathPattern.exec(path)?.[1];
    const picture = ending === undefined ? null : await readStoredFile(this.storage, createPublicPictureKey(path));
    if (ending === undefined || picture === null) throw chatErrors.create('NOT_FOUND', { message: 'File not found' });
    await reply
      .headers({
        'content-type': pictureContentTypeByExtension[ending] ?? 'application/octet-stream',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      })
      .send(picture);
  }
}
