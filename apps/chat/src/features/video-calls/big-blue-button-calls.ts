import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  type BigBlueButtonClient,
  type BigBlueButtonMeeting,
  VideoCallProviderClients,
} from '../../infra/video/index.js';
import type { VideoCallProvider, VideoCallRequest } from './call-provider.js';
import { createVideoCallProviderError } from './video-provider-failure.js';

/** Query parameters of a link to a BigBlueButton meeting. */
export interface BigBlueButtonLinkParameters {
  readonly meeting_id: string;
  readonly name: string;
  readonly voice_only: boolean;
  /** Id of the user who created the meeting link and moderates the meeting. */
  readonly moderator: number;
  readonly checksum: string;
}

/**
 * Creates links to meetings on the operator's BigBlueButton server. A link is signed and refers to this service. The
 * meeting is created when a user opens the link.
 */
@Injectable()
export class BigBlueButtonCallProvider implements VideoCallProvider {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly providers: VideoCallProviderClients,
  ) {}

  async createCall({ actor, name, isVideo }: VideoCallRequest): Promise<string> {
    const server = this.#server();
    const link = { meeting_id: randomUUID(), name, voice_only: !isVideo, moderator: actor.id };
    const query = new URLSearchParams({
      meeting_id: link.meeting_id,
      name: link.name,
      voice_only: String(link.voice_only),
      moderator: String(link.moderator),
      checksum: server.signLinkText(serializeMeetingForSignature(actor.realmId, link)),
    });
    return `/calls/bigbluebutton/join?${query}`;
  }

  /**
   * Creates the meeting of a link if necessary, and returns the URL with which the actor joins it.
   *
   * @throws ApplicationError BAD_REQUEST for an invalid link, or one of another organization
   */
  async createMeetingJoinUrl(actor: ChatActor, link: BigBlueButtonLinkParameters): Promise<string> {
    const server = this.#server();
    if (!server.isLinkSignatureValid(serializeMeetingForSignature(actor.realmId, link), link.checksum))
      throw createBadRequestError('Invalid meeting link');
    const meeting: BigBlueButtonMeeting = { id: link.meeting_id, name: link.name, voiceOnly: link.voice_only };
    const fullName = await this.#nameOf(actor);
    try {
      await server.createMeeting(meeting);
    } catch (error) {
      throw createVideoCallProviderError(error, 'Failed to create BigBlueButton meeting');
    }
    return server.createJoinUrl(meeting, { fullName, isModerator: actor.id === link.moderator });
  }

  #server(): BigBlueButtonClient {
    const { bigBlueButton } = this.providers;
    if (bigBlueButton === null) throw createBadRequestError('BigBlueButton is not configured.');
    return bigBlueButton;
  }

  async #nameOf(actor: ChatActor): Promise<string> {
    const user = await this.database.prisma.user.findFirst({ where: { id: actor.id }, select: { fullName: true } });
    return user?.fullName ?? '';
  }
}

/**
 * Returns the text that the signature of a meeting link covers. The text is JSON, which is unambiguous. The text
 * contains the realm id, so that the link works only in one organization.
 */
function serializeMeetingForSignature(realmId: number, link: Omit<BigBlueButtonLinkParameters, 'checksum'>): string {
  return JSON.stringify([realmId, link.meeting_id, link.name, link.voice_only, link.moderator]);
}
