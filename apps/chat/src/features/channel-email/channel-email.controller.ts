import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { emailAddressResponseBody, emailAddressParameters } from './channel-email.schemas.js';
import { GetChannelEmailAddress } from './get-channel-address.query.js';

/**
 * Endpoint that returns the email address to which users can send messages for a channel (docs/contract/chat.md 2.E).
 */
@Controller('api/v1/streams/:stream_id/email_address')
export class ChannelEmailController {
  constructor(private readonly addresses: GetChannelEmailAddress) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-stream-email-address',
    summary: 'Returns the email address of a channel',
    tags: ['channels'],
    security: ['basic'],
    pathParams: z.object({ stream_id: z.int() }),
    query: emailAddressParameters.published,
    responses: { 200: { description: 'The address', schema: emailAddressResponseBody }, ...commonErrorResponses },
  })
  getChannelEmailAddress(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('stream_id') id: number,
    @RequestParameters(emailAddressParameters) parameters: DecodedParametersOfDefinition<typeof emailAddressParameters>,
    @RequestOrigin() origin: string,
  ) {
    return this.addresses.run(actor, id, parameters.sender_id, origin);
  }
}
