import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, successBody } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { CreateCall } from './create-call.action.js';

const callParameters = defineParameters(z.object({ is_video_call: z.boolean().default(true) }));
const noParameters = defineParameters(z.object({}));
const meetingParameters = defineParameters(
  z.object({ meeting_name: z.string().max(256), voice_only: z.boolean().default(false) }),
);
const roomParameters = defineParameters(
  z.object({ room_name: z.string().meta({ description: 'Shortened to 255 characters' }) }),
);
const callUrlResponses = {
  200: { description: 'URL of the call', schema: successBody({ url: z.string() }) },
  ...commonErrorResponses,
};

/** Endpoints that create video calls (chat-4.21, docs/contract/chat.md 2.I). */
@Controller('api/v1/calls')
export class VideoCallsController {
  constructor(private readonly calls: CreateCall) {}

  @Post('vcall/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-video-call',
    summary: "Creates a call with the organization's video call provider",
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(callParameters),
    responses: callUrlResponses,
  })
  create(@CurrentActor() actor: ChatActor, @Parameters(callParameters) sent: ParametersOf<typeof callParameters>) {
    return this.calls.createCallOfChosenProvider(actor, sent.is_video_call);
  }

  @Post('zoom/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-zoom-video-call',
    summary: 'Creates a Zoom call',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(callParameters),
    responses: callUrlResponses,
  })
  createZoom(@CurrentActor() actor: ChatActor, @Parameters(callParameters) sent: ParametersOf<typeof callParameters>) {
    return this.calls.byZoom(actor, sent.is_video_call);
  }

  @Post('webex/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-webex-video-call',
    summary: 'Creates a Webex call',
    tags: ['channels'],
    security: ['basic'],
    responses: callUrlResponses,
  })
  createWebex(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.calls.byWebex(actor);
  }

  @Post('constructorgroups/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-constructor-groups-video-call',
    summary: "Returns the link to the user's room at Constructor Groups",
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(callParameters),
    responses: callUrlResponses,
  })
  createConstructorGroups(
    @CurrentActor() actor: ChatActor,
    @Parameters(callParameters) sent: ParametersOf<typeof callParameters>,
  ) {
    return this.calls.byConstructorGroups(actor, sent.is_video_call);
  }

  @Post('nextcloud_talk/create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-nextcloud-talk-video-call',
    summary: 'Creates a conversation in Nextcloud Talk',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(roomParameters),
    responses: callUrlResponses,
  })
  createNextcloudTalk(
    @CurrentActor() actor: ChatActor,
    @Parameters(roomParameters) sent: ParametersOf<typeof roomParameters>,
  ) {
    return this.calls.byNextcloudTalk(actor, sent.room_name);
  }

  @Get('bigbluebutton/create')
  @DescribeEndpoint({
    operationId: 'create-big-blue-button-video-call',
    summary: 'Creates a link to a BigBlueButton meeting',
    tags: ['channels'],
    security: ['basic'],
    query: meetingParameters.published,
    responses: callUrlResponses,
  })
  createMeeting(
    @CurrentActor() actor: ChatActor,
    @Parameters(meetingParameters) sent: ParametersOf<typeof meetingParameters>,
  ) {
    return this.calls.byBigBlueButton(actor, sent.meeting_name, !sent.voice_only);
  }
}
