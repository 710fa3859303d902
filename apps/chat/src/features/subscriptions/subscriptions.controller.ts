import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { CreateChannel } from './create-channel.action.js';
import { ReadSubscriptions } from './read-subscriptions.query.js';
import { SetSubscriptionPreferences } from './set-subscription-preferences.action.js';
import { SubscribeUsersToChannels } from './subscribe.action.js';
import * as schemas from './subscriptions.schemas.js';
import { UnsubscribeUsersFromChannels } from './unsubscribe.action.js';
import { UpdateSubscriptions } from './update-subscriptions.action.js';

/** Endpoints for subscriptions of the actor and of other users (docs/contract/chat.md 2.E). */
@Controller('api/v1')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: ReadSubscriptions,
    private readonly subscribe: SubscribeUsersToChannels,
    private readonly unsubscribe: UnsubscribeUsersFromChannels,
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
  listOwnSubscriptions(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(schemas.listSubscriptionsParameters)
    parameters: DecodedParametersOfDefinition<typeof schemas.listSubscriptionsParameters>,
  ) {
    return this.subscriptions.listSubscriptionsOfActor(actor, parameters);
  }

  @Post('users/me/subscriptions')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'subscribe',
    summary: 'Subscribes users to channels, and creates the channels that do not exist',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(schemas.subscribeParameters),
    responses: {
      200: { description: 'The new and the existing subscriptions', schema: schemas.subscribeResponseBody },
      ...commonErrorResponses,
    },
  })
  subscribeUsersToChannels(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(schemas.subscribeParameters) parameters: DecodedParametersOfDefinition<
      typeof schemas.subscribeParameters
    >,
  ) {
    return this.subscribe.run(actor, parameters);
  }

  @Delete('users/me/subscriptions')
  @DescribeEndpoint({
    operationId: 'unsubscribe',
    summary: 'Unsubscribes users from channels',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(schemas.unsubscribeParameters),
    responses: {
      200: { description: 'The subscriptions that ended', schema: schemas.unsubscribeResponseBody },
      ...commonErrorResponses,
    },
  })
  unsubscribeUsersFromChannels(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(schemas.unsubscribeParameters) parameters: DecodedParametersOfDefinition<
      typeof schemas.unsubscribeParameters
    >,
  ) {
    return this.unsubscribe.run(actor, parameters.subscriptions, parameters.principals);
  }

  @Patch('users/me/subscriptions')
  @DescribeEndpoint({
    operationId: 'update-subscriptions',
    summary: 'Subscribes the user to some channels and unsubscribes from others',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(schemas.updateSubscriptionsParameters),
    responses: {
      200: { description: 'The results', schema: schemas.updateSubscriptionsResponseBody },
      ...commonErrorResponses,
    },
  })
  updateChannelSubscriptions(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(schemas.updateSubscriptionsParameters)
    parameters: DecodedParametersOfDefinition<typeof schemas.updateSubscriptionsParameters>,
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
    body: createOpenApiFormBodies(schemas.setPreferencesParameters),
    responses: { 200: { description: 'Set', schema: schemas.emptyResponseBody }, ...commonErrorResponses },
  })
  setSubscriptionProperties(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(schemas.setPreferencesParameters) parameters: DecodedParametersOfDefinition<
      typeof schemas.setPreferencesParameters
    >,
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
    body: createOpenApiFormBodies(schemas.setPreferenceParameters),
    responses: { 200: { description: 'Set', schema: schemas.emptyResponseBody }, ...commonErrorResponses },
  })
  setSubscriptionProperty(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('stream_id') channelId: number,
    @RequestParameters(schemas.setPreferenceParameters) parameters: DecodedParametersOfDefinition<
      typeof schemas.setPreferenceParameters
    >,
  ) {
    return this.setPreferences.setSinglePreference(actor, channelId, parameters);
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
  getSubscriptionStatus(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_id') userId: number,
    @IdFromUrlPath('stream_id') channelId: number,
    @RequestParameters(schemas.emptyRequestParameters) _none: object,
  ) {
    return this.subscriptions.getSubscriptionStatus(actor, userId, channelId);
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
  listSubscribedChannelsOfUser(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_id') userId: number,
    @RequestParameters(schemas.emptyRequestParameters) _none: object,
  ) {
    return this.subscriptions.listSubscribedChannelsOfUser(actor, userId);
  }

  @Post('channels/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-channel',
    summary: 'Creates a channel with its first subscribers',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(schemas.createChannelParameters),
    responses: {
      200: { description: 'Id of the new object', schema: schemas.createChannelResponseBody },
      ...commonErrorResponses,
    },
  })
  createNewChannel(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(schemas.createChannelParameters) parameters: DecodedParametersOfDefinition<
      typeof schemas.createChannelParameters
    >,
  ) {
    return this.createChannel.run(actor, parameters);
  }
}
