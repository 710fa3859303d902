import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { RequestParameters } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { GetReadReceipts } from './get-read-receipts.query.js';

const emptyRequestParameters = defineParameters(z.object({}));
const readReceiptsResponseBody = createSuccessBodySchema({ user_ids: z.array(z.int()) });

/** Endpoint that lists the users who have read a message (docs/contract/chat.md 2.C). */
@Controller('api/v1/messages/:message_id/read_receipts')
export class ReadReceiptsController {
  constructor(private readonly receipts: GetReadReceipts) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-read-receipts',
    scope: 'read',
    summary: 'Lists the users who have read a message',
    tags: ['messages'],
    security: ['basic'],
    pathParams: z.object({ message_id: z.int() }),
    responses: {
      200: { description: 'Ids of the users, ascending', schema: readReceiptsResponseBody },
      ...commonErrorResponses,
    },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(emptyRequestParameters) _none: object,
  ) {
    return this.receipts.run(actor, id);
  }
}
