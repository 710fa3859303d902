import { Controller, Get, Req, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint, renderHtml } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { chatErrors } from '../../errors.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { htmlPageResponseHeaders, renderHtmlPage } from '../../infra/http/html-page.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { BigBlueButtonCallProvider } from './big-blue-button-calls.js';
import type { OAuthProviderKey } from '../../infra/video/index.js';
import { ConnectVideoCallAccount } from './connect-account.action.js';

const emptyRequestParameters = defineParameters(z.object({}));
const oauthReturnParameters = defineParameters(z.object({ code: z.string().optional(), state: z.string().optional() }));
const bigBlueButtonJoinParameters = defineParameters(
  z.object({
    meeting_id: z.string(),
    name: z.string(),
    voice_only: z.boolean(),
    moderator: z.int(),
    checksum: z.string(),
  }),
);

function renderAccountConnectedPage(name: string): string {
  return renderHtmlPage(
    `${name} is connected`,
    renderHtml`<h1>${name} is connected</h1>
      <p>You can close this window and make the call.</p>`,
  );
}

/** Web pages that redirect browsers to a video-call provider and back to this service. Visitors must sign in first. */
@Controller('calls')
export class VideoCallPagesController {
  constructor(
    private readonly connections: ConnectVideoCallAccount,
    private readonly meetings: BigBlueButtonCallProvider,
  ) {}

  @Get('zoom/register')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'register-zoom',
    summary: 'Redirects to the page of Zoom on which the user allows calls to be created',
    tags: ['channels'],
    security: 'none',
    responses: { 302: { description: 'The page of Zoom, or the sign-in page' }, ...commonErrorResponses },
  })
  async startZoomAuthorization(
    @CurrentActor() actor: CredentialOwner | null,
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @RequestOrigin() origin: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.#authorizationPage('zoom', actor, origin, request), 302);
  }

  @Get('zoom/complete')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'complete-zoom',
    summary: 'Receives the OAuth redirect of Zoom',
    tags: ['channels'],
    security: 'none',
    query: oauthReturnParameters.published,
    responses: { 200: { description: 'Zoom is connected', contentType: 'text/html' }, ...commonErrorResponses },
  })
  async completeZoomAuthorization(
    @CurrentActor() actor: CredentialOwner | null,
    @RequestParameters(oauthReturnParameters) sent: DecodedParametersOfDefinition<typeof oauthReturnParameters>,
    @RequestOrigin() origin: string,
    @Res() reply: FastifyReply,
  ) {
    if (actor?.session === undefined) throw chatErrors.create('UNAUTHORIZED');
    await this.connections.completeAuthorization(actor, 'zoom', sent, origin);
    await reply.headers(htmlPageResponseHeaders).send(renderAccountConnectedPage('Zoom'));
  }

  @Get('webex/register')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'register-webex',
    summary: 'Redirects to the page of Webex on which the user allows calls to be created',
    tags: ['channels'],
    security: 'none',
    responses: { 302: { description: 'The page of Webex, or the sign-in page' }, ...commonErrorResponses },
  })
  async startWebexAuthorization(
    @CurrentActor() actor: CredentialOwner | null,
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @RequestOrigin() origin: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(await this.#authorizationPage('webex', actor, origin, request), 302);
  }

  @Get('webex/complete')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'complete-webex',
    summary: 'Receives the OAuth redirect of Webex',
    tags: ['channels'],
    security: 'none',
    query: oauthReturnParameters.published,
    responses: { 200: { description: 'Webex is connected', contentType: 'text/html' }, ...commonErrorResponses },
  })
  async completeWebexAuthorization(
    @CurrentActor() actor: CredentialOwner | null,
    @RequestParameters(oauthReturnParameters) sent: DecodedParametersOfDefinition<typeof oauthReturnParameters>,
    @RequestOrigin() origin: string,
    @Res() reply: FastifyReply,
  ) {
    if (actor?.session === undefined) throw chatErrors.create('UNAUTHORIZED');
    await this.connections.completeAuthorization(actor, 'webex', sent, origin);
    await reply.headers(htmlPageResponseHeaders).send(renderAccountConnectedPage('Webex'));
  }

  @Get('bigbluebutton/join')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'join-big-blue-button-video-call',
    summary: 'Redirects to a BigBlueButton meeting',
    tags: ['channels'],
    security: 'none',
    query: bigBlueButtonJoinParameters.published,
    responses: { 302: { description: 'The meeting, or the sign-in page' }, ...commonErrorResponses },
  })
  async joinBigBlueButtonMeeting(
    @CurrentActor() actor: CredentialOwner | null,
    @RequestParameters(bigBlueButtonJoinParameters) link: DecodedParametersOfDefinition<
      typeof bigBlueButtonJoinParameters
    >,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await reply.redirect(
      actor === null ? createSignInUrl(request) : await this.meetings.createMeetingJoinUrl(actor, link),
      302,
    );
  }

  async #authorizationPage(
    provider: OAuthProviderKey,
    actor: CredentialOwner | null,
    origin: string,
    request: FastifyRequest,
  ): Promise<string> {
    return actor?.session === undefined
      ? createSignInUrl(request)
      : this.connections.beginAuthorization(actor, provider, origin);
  }
}

function createSignInUrl(request: FastifyRequest): string {
  return `/accounts/login/?${new URLSearchParams({ next: request.originalUrl })}`;
}
