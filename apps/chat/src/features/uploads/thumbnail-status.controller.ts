import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { Parameters } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { PathRemainder } from '../../infra/http/path-text.js';
import { ReadFiles } from './read-files.query.js';
import { filePathParameters, noParameters, thumbnailStatusResponseBody } from './uploads.schemas.js';

/** Endpoint that web clients poll after an upload until the thumbnail exists (docs/contract/chat.md 2.C). */
@Controller('api/v1/thumbnail/status')
export class ThumbnailStatusController {
  constructor(private readonly files: ReadFiles) {}

  @Get(':realm_id/*')
  @DescribeEndpoint({
    operationId: 'get-thumbnail-status',
    scope: 'read',
    path: '/api/v1/thumbnail/status/{realm_id}/{path}',
    pathParams: filePathParameters,
    summary: 'Checks whether an image that the user uploaded has a thumbnail',
    tags: ['uploads'],
    description: 'Always true for images, because this server creates a thumbnail when it is first requested.',
    security: ['basic'],
    responses: {
      200: { description: 'Whether there is one', schema: thumbnailStatusResponseBody },
      ...commonErrorResponses,
    },
  })
  check(
    @CurrentActor() actor: ChatActor,
    @PathId('realm_id') realmId: number,
    @PathRemainder() tail: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.files.getThumbnailStatus(actor, `${realmId}/${tail}`);
  }
}
