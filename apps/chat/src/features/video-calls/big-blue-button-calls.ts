import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import type { ChatDatabase } from '../../infra/open-prisma.js';
import { DATABASE } from '../../tokens.js';
import { type BigBlueButtonClient, type BigBlueButtonMeeting, VideoProviders } from '../../infra/video/index.js';
import type { CallProvider, CallRequest } from './call-provider.js';
import { toProviderFailureError } from './video-provider-failure.js';

/** Query parameters of a link to a BigBlueButton meeting. */
export interface MeetingLink {
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
export class BigBlueButtonCalls implements CallProvider {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    private readonly providers: VideoProviders,
  ) {}

  async createCall({ actor, name, isVideo }: CallRequest): Promise<string> {
    const server = this.#server();
    const link = { meeting_id: randomUUID(), name, voice_only: !isVideo, moderator: actor.id };
    const query = new URLSearchParams({
      meeting_id: link.meeting_id,
      name: link.name,
      voice_only: String(link.voice_only),
      moderator: String(link.moderator),
      checksum: server.sign(createSignedMeetingText(actor.realmId, link)),
    });
    return `/calls/bigbluebutton/join?${query}`;
  }

  /**
   * Creates the meeting of a link if necessary, and returns the URL with which the actor joins it.
   *
   * @throws AppError BAD_REQUEST for an invalid link, or one of another organization
   */
  async join(actor: ChatActor, link: MeetingLink): Promise<string> {
    const server = this.#server();
    if (!server.isSigned(createSignedMeetingText(actor.realmId, link), link.checksum))
      throw createBadRequestError('Invalid meeting link');
    const meeting: BigBlueButtonMeeting = { id: link.meeting_id, name: link.name, voiceOnly: link.voice_only };
    const fullName = await this.#nameOf(actor);
    try {
      await server.create(meeting);
    } catch (error) {
      throw toProviderFailureError(error, 'Failed to create BigBlueButton meeting');
    }
    return server.joinUrl(meeting, { fullName, isModerator: actor.id === link.moderator });
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
function createSignedMeetingText(realmId: number, link: Omit<MeetingLink, 'checksum'>): string {
  return JSON.stringify([realmId, link.meeting_id, link.name, link.voice_only, link.moderator]);
}
