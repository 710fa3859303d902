import { Controller, Get, Param, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { badRequestBody, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { RequestParameters } from '../../infra/http/parameter-decorators.js';
import { DownloadExport } from './download-export.query.js';
import { emptyRequestParameters } from './realm-export.schemas.js';

/** Endpoint that serves export archives by links that need no credentials. */
@Controller('user_uploads/exports')
export class ExportDownloadsController {
  constructor(private readonly downloads: DownloadExport) {}

  @Get(':token/:filename')
  @Public()
  @DescribeEndpoint({
    operationId: 'download-realm-export',
    pathParams: z.object({ token: z.string(), filename: z.string() }),
    summary: 'Returns the archive of an export by its link',
    tags: ['organization'],
    security: 'none',
    query: emptyRequestParameters.published,
    responses: {
      200: { description: 'The archive', contentType: 'application/gzip' },
      400: { description: 'The request is invalid', schema: badRequestBody },
      ...notFoundErrorResponse,
    },
  })
  async downloadArchive(
    @Param('token') token: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @Res() reply: FastifyReply,
  ) {
    const { fileName, content } = await this.downloads.openArchive(token);
    reply.headers({
      'content-type': 'application/gzip',
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    await reply.send(content);
  }
}
