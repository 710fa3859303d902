import { createHash, createHmac } from 'node:crypto';
import { areTextsEqualInConstantTime } from '@switchboard/auth';
import { OutboundError, type OutboundClient } from '@switchboard/outbound';
import { ProviderError } from './video-provider-errors.js';

/** Options of {@link BigBlueButtonClient}. */
export interface BigBlueButtonOptions {
  /** URL of the BigBlueButton server without a trailing slash. */
  readonly url: string;
  readonly secret: string;
  readonly outbound: OutboundClient;
}

/** Parameters of a BigBlueButton meeting. */
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
 * Sends requests to the operator's BigBlueButton server. They are signed by a SHA-256 checksum of call, query and
 * secret, as its API requires.
 */
export class BigBlueButtonClient {
  constructor(private readonly options: BigBlueButtonOptions) {}

  /**
   * Creates a meeting on the server, unless it exists.
   *
   * @throws ProviderError
   */
  async create(meeting: BigBlueButtonMeeting): Promise<void> {
    const url = this.#signedUrl('create', {
      meetingID: meeting.id,
      name: meeting.name,
      ...(meeting.voiceOnly && { lockSettingsDisableCam: 'true' }),
    });
    const { status, body } = await this.#get(url);
    const text = body.toString('utf8');
    if (status === 200 && text.includes('<returncode>SUCCESS</returncode>')) return;
    const reason = /<messageKey>(\w{1,40})<\/messageKey>/.exec(text)?.[1] ?? 'no reason';
    throw new ProviderError(`BigBlueButton responded with status ${status}: ${reason}`);
  }

  /** Returns the URL at which a user joins a meeting. */
  joinUrl(meeting: BigBlueButtonMeeting, attendee: BigBlueButtonAttendee): string {
    return this.#signedUrl('join', {
      meetingID: meeting.id,
      fullName: attendee.fullName,
      role: attendee.isModerator ? 'MODERATOR' : 'VIEWER',
    });
  }

  /**
   * Signs a link of this service with the server's secret. Uses a keyed hash rather than the checksum of the server's
   * API, so that neither can be derived from the other.
   */
  sign(link: string): string {
    return createHmac('sha256', this.options.secret).update(link).digest('hex');
  }

  /** Returns true if a link's signature is from {@link sign}. */
  isSigned(link: string, signature: string): boolean {
    return areTextsEqualInConstantTime(signature, this.sign(link));
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
      if (error instanceof OutboundError) throw new ProviderError('BigBlueButton cannot be reached', { cause: error });
      throw error;
    }
  }
}
