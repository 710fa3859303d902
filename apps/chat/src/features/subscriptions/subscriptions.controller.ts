import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { CreateChannel } from './create-channel.action.js';
import { ReadSubscriptions } from './read-subscriptions.query.js';
import { SetSubscriptionPreferences } from './set-subscription-preferences.action.js';
import { SubscribeUsers } from './subscribe.action.js';
import * as schemas from './subscriptions.schemas.js';
import { UnsubscribeUsers } from './unsubscribe.action.js';
import { UpdateSubscriptions } from './update-subscriptions.action.js';

/** Endpoints for subscriptions of the actor and of other users (docs/contract/chat.md 2.E). */
@Controller('api/v1')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: ReadSubscriptions,
    private readonly subscribe: SubscribeUsers,
    private readonly unsubscribe: UnsubscribeUsers,
    private readonly updateSubscriptions: UpdateSubscriptions,
    private readonly setPreferences: SetSubscriptionPreferences,
    private readonly createChannel: CreateChannel,
  ) {}

  @Get('users/me/subscriptions')
  @DescribeEndpoint({
    operationId: 'get-subscriptions',
    scope: 'read',
    summary: 'Lists the subscriptions of the user',
    tags: ['channels'],
    security: ['basic'],
    query: schemas.listSubscriptionsParameters.published,
    responses: {
      200: { description: 'The subscriptions, by name', schema: schemas.listSubscriptionsResponseBody },
      ...commonErrorResponses,
    },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @Parameters(schemas.listSubscriptionsParameters)
    parameters: ParametersOf<typeof schemas.listSubscriptionsParameters>,
  ) {
    return this.subscriptions.listOwn(actor, parameters);
  }

  @Post('users/me/subscriptions')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'subscribe',
    summary: 'Subscribes users to channels, and creates the channels that do not exist',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(schemas.subscribeParameters),
    responses: {
      200: { description: 'The new and the existing subscriptions', schema: schemas.subscribeResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @Parameters(schemas.subscribeParameters) parameters: ParametersOf<typeof schemas.subscribeParameters>,
  ) {
    return this.subscribe.run(actor, parameters);
  }

  @Delete('users/me/subscriptions')
  @DescribeEndpoint({
    operationId: 'unsubscribe',
    summary: 'Unsubscribes users from channels',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(schemas.unsubscribeParameters),
    responses: {
      200: { description: 'The subscriptions that ended', schema: schemas.unsubscribeResponseBody },
      ...commonErrorResponses,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @Parameters(schemas.unsubscribeParameters) parameters: ParametersOf<typeof schemas.unsubscribeParameters>,
  ) {
    return this.unsubscribe.run(actor, parameters.subscriptions, parameters.principals);
  }

  @Patch('users/me/subscriptions')
  @DescribeEndpoint({
    operationId: 'update-subscriptions',
    summary: 'Subscribes the user to some channels and unsubscribes from others',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(schemas.updateSubscriptionsParameters),
    responses: {
      200: { description: 'The results', schema: schemas.updateSubscriptionsResponseBody },
      ...commonErrorResponses,
    },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @Parameters(schemas.updateSubscriptionsParameters)
    parameters: ParametersOf<typeof schemas.updateSubscriptionsParameters>,
  ) {
    return this.updateSubscriptions.run(actor, parameters);
  }

  @Post('users/me/subscriptions/properties')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-subscription-settings',
    summary: 'Updates personal settings of channels',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(schemas.setPreferencesParameters),
    responses: { 200: { description: 'Set', schema: schemas.emptyResponseBody }, ...commonErrorResponses },
  })
  setProperties(
    @CurrentActor() actor: ChatActor,
    @Parameters(schemas.setPreferencesParameters) parameters: ParametersOf<typeof schemas.setPreferencesParameters>,
  ) {
    return this.setPreferences.run(actor, parameters);
  }

  @Patch('users/me/subscriptions/:stream_id')
  @DescribeEndpoint({
    operationId: 'update-subscription-property',
    summary: 'Updates a personal setting of one channel',
    tags: ['channels'],
    security: ['basic'],
    pathParams: z.object({ stream_id: z.int() }),
    body: createFormBodies(schemas.setPreferenceParameters),
    responses: { 200: { description: 'Set', schema: schemas.emptyResponseBody }, ...commonErrorResponses },
  })
  setProperty(
    @CurrentActor() actor: ChatActor,
    @PathId('stream_id') channelId: number,
    @Parameters(schemas.setPreferenceParameters) parameters: ParametersOf<typeof schemas.setPreferenceParameters>,
  ) {
    return this.setPreferences.setOne(actor, channelId, parameters);
  }

  @Get('users/:user_id/subscriptions/:stream_id')
  @DescribeEndpoint({
    operationId: 'get-subscription-status',
    scope: 'read',
    summary: 'Checks whether a user subscribes to a channel',
    tags: ['channels'],
    security: ['basic'],
    pathParams: z.object({ user_id: z.int(), stream_id: z.int() }),
    responses: {
      200: { description: 'Whether the user subscribes', schema: schemas.subscriptionStatusResponseBody },
      ...commonErrorResponses,
    },
  })
  status(
    @CurrentActor() actor: ChatActor,
    @PathId('user_id') userId: number,
    @PathId('stream_id') channelId: number,
    @Parameters(schemas.noParameters) _none: object,
  ) {
    return this.subscriptions.getStatus(actor, userId, channelId);
  }

  @Get('users/:user_id/channels')
  @DescribeEndpoint({
    operationId: 'get-user-channels',
    scope: 'read',
    summary: 'Lists the channels of another user that the requesting user can see',
    tags: ['channels'],
    security: ['basic'],
    pathParams: z.object({ user_id: z.int() }),
    responses: {
      200: { description: 'Ids of the channels', schema: schemas.userChannelsResponseBody },
      ...commonErrorResponses,
    },
  })
  channelsOf(
    @CurrentActor() actor: ChatActor,
    @PathId('user_id') userId: number,
    @Parameters(schemas.noParameters) _none: object,
  ) {
    return this.subscriptions.listChannelsOf(actor, userId);
  }

  @Post('channels/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-channel',
    summary: 'Creates a channel with its first subscribers',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(schemas.createChannelParameters),
    responses: {
      200: { description: 'Id of the new object', schema: schemas.createChannelResponseBody },
      ...commonErrorResponses,
    },
  })
  create(
    @CurrentActor() actor: ChatActor,
    @Parameters(schemas.createChannelParameters) parameters: ParametersOf<typeof schemas.createChannelParameters>,
  ) {
    return this.createChannel.run(actor, parameters);
  }
}
