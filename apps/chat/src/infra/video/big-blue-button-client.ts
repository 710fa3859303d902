import { createHash, createHmac } from 'node:crypto';
import { areTextsEqualInConstantTime } from '@switchboard/auth';
import { OutboundError, type OutboundClient } from '@switchboard/outbound';
import { VideoCallProviderError } from './video-provider-errors.js';

export interface BigBlueButtonOptions {
  /** URL of the BigBlueButton server without a trailing slash. */
  readonly url: string;
  readonly secret: string;
  readonly outbound: OutboundClient;
}

/** Properties of a BigBlueButton meeting to be created or joined. */
export interface BigBlueButtonMeeting {
  readonly id: string;
  readonly name: string;
  /** True if cameras are disabled in the meeting. */
  readonly voiceOnly: boolean;
}

/** A user who joins a BigBlueButton meeting. */
export interface BigBlueButtonAttendee {
  readonly fullName: string;
  readonly isModerator: boolean;
}

/**
 * Client of the operator's BigBlueButton server. The API requires that requests are signed by a SHA-256 checksum of API
 * call, query and secret.
 */
export class BigBlueButtonClient {
  constructor(private readonly options: BigBlueButtonOptions) {}

  /**
   * Creates a meeting on the BigBlueButton server, unless the meeting exists.
   *
   * @throws VideoCallProviderError
   */
  async createMeeting(meeting: BigBlueButtonMeeting): Promise<void> {
    const url = this.#signedUrl('create', {
      meetingID: meeting.id,
      name: meeting.name,
      ...(meeting.voiceOnly && { lockSettingsDisableCam: 'true' }),
    });
    const { status, body } = await this.#get(url);
    const text = body.toString('utf8');
    if (status === 200 && text.includes('<returncode>SUCCESS</returncode>')) return;
    const reason = /<messageKey>(\w{1,40})<\/messageKey>/.exec(text)?.[1] ?? 'no reason';
    throw new VideoCallProviderError(`BigBlueButton responded with status ${status}: ${reason}`);
  }

  /** Returns the URL at which a user joins a BigBlueButton meeting. */
  createJoinUrl(meeting: BigBlueButtonMeeting, attendee: BigBlueButtonAttendee): string {
    return this.#signedUrl('join', {
      meetingID: meeting.id,
      fullName: attendee.fullName,
      role: attendee.isModerator ? 'MODERATOR' : 'VIEWER',
    });
  }

  /**
   * Returns the signature of a link of this service, computed with the BigBlueButton server's secret. The signature is
   * a keyed hash, unlike the checksum of the BigBlueButton API. Neither value can be derived from the other value.
   */
  signLinkText(link: string): string {
    return createHmac('sha256', this.options.secret).update(link).digest('hex');
  }

  /** Returns true if the given signature of a link equals the result of {@link signLinkText}. */
  isLinkSignatureValid(link: string, signature: string): boolean {
    return areTextsEqualInConstantTime(signature, this.signLinkText(link));
  }

  #signedUrl(call: 'create' | 'join', parameters: Record<string, string>): string {
    const query = new URLSearchParams(parameters).toString();
    const checksum = createHash('sha256').update(`${call}${query}${this.options.secret}`).digest('hex');
    return `${this.options.url}/api/${call}?${query}&checksum=${checksum}`;
  }

  async #get(url: string) {
    try {
      return await this.options.outbound.request({ url });
    } catch (error) {
      if (error instanceof OutboundError)
        throw new VideoCallProviderError('BigBlueButton cannot be reached', { cause: error });
      throw error;
    }
  }
}
