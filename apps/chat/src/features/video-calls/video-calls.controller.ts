import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { CreateVideoCall } from './create-call.action.js';

const createVideoCallParameters = defineParameters(z.object({ is_video_call: z.boolean().default(true) }));
const emptyRequestParameters = defineParameters(z.object({}));
const bigBlueButtonMeetingParameters = defineParameters(
  z.object({ meeting_name: z.string().max(256), voice_only: z.boolean().default(false) }),
);
const nextcloudTalkRoomParameters = defineParameters(
  z.object({ room_name: z.string().meta({ description: 'Shortened to 255 characters' }) }),
);
const callUrlOpenApiResponses = {
  200: { description: 'URL of the call', schema: createSuccessBodySchema({ url: z.string() }) },
  ...commonErrorResponses,
};

/** Endpoints that create video calls (chat-4.21, docs/contract/chat.md 2.I). */
@Controller('api/v1/calls')
export class VideoCallsController {
  constructor(private readonly calls: CreateVideoCall) {}

  @Post('vcall/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-video-call',
    summary: "Creates a call with the organization's video call provider",
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(createVideoCallParameters),
    responses: callUrlOpenApiResponses,
  })
  createCallWithChosenProvider(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(createVideoCallParameters) sent: DecodedParametersOfDefinition<typeof createVideoCallParameters>,
  ) {
    return this.calls.createCallOfChosenProvider(actor, sent.is_video_call);
  }

  @Post('zoom/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-zoom-video-call',
    summary: 'Creates a Zoom call',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(createVideoCallParameters),
    responses: callUrlOpenApiResponses,
  })
  createZoomCall(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(createVideoCallParameters) sent: DecodedParametersOfDefinition<typeof createVideoCallParameters>,
  ) {
    return this.calls.createZoomCall(actor, sent.is_video_call);
  }

  @Post('webex/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-webex-video-call',
    summary: 'Creates a Webex call',
    tags: ['channels'],
    security: ['basic'],
    responses: callUrlOpenApiResponses,
  })
  createWebexCall(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.calls.createWebexCall(actor);
  }

  @Post('constructorgroups/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-constructor-groups-video-call',
    summary: "Returns the link to the user's room at Constructor Groups",
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(createVideoCallParameters),
    responses: callUrlOpenApiResponses,
  })
  createConstructorGroupsCall(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(createVideoCallParameters) sent: DecodedParametersOfDefinition<typeof createVideoCallParameters>,
  ) {
    return this.calls.createConstructorGroupsCall(actor, sent.is_video_call);
  }

  @Post('nextcloud_talk/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-nextcloud-talk-video-call',
    summary: 'Creates a conversation in Nextcloud Talk',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(nextcloudTalkRoomParameters),
    responses: callUrlOpenApiResponses,
  })
  createNextcloudTalkCall(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(nextcloudTalkRoomParameters) sent: DecodedParametersOfDefinition<
      typeof nextcloudTalkRoomParameters
    >,
  ) {
    return this.calls.createNextcloudTalkCall(actor, sent.room_name);
  }

  @Get('bigbluebutton/create')
  @DescribeEndpoint({
    operationId: 'create-big-blue-button-video-call',
    summary: 'Creates a link to a BigBlueButton meeting',
    tags: ['channels'],
    security: ['basic'],
    query: bigBlueButtonMeetingParameters.published,
    responses: callUrlOpenApiResponses,
  })
  createBigBlueButtonMeeting(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(bigBlueButtonMeetingParameters) sent: DecodedParametersOfDefinition<
      typeof bigBlueButtonMeetingParameters
    >,
  ) {
    return this.calls.createBigBlueButtonCall(actor, sent.meeting_name, !sent.voice_only);
  }
}
