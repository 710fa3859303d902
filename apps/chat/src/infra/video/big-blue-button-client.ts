import { createHash, createHmac } from 'node:crypto';
import { timingSafeEqualText } from '@switchboard/auth';
import { OutboundError, type OutboundClient } from '@switchboard/outbound';
import { ProviderError } from './provider-errors.js';

/** The operator's BigBlueButton server. */
export interface BigBlueButtonOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly secret: string;
  readonly outbound: OutboundClient;
}

/** Parameters of a meeting, as in its link. */
export interface Meeting {
  readonly id: string;
  readonly name: string;
  /** Cameras stay off. */
  readonly voiceOnly: boolean;
}

/** A user who joins a meeting. */
export interface Attendee {
  readonly fullName: string;
  readonly isModerator: boolean;
}

/** Requests that are signed by a SHA-256 checksum over call, query and secret, as BigBlueButton's API wants. */
export class BigBlueButtonClient {
  constructor(private readonly options: BigBlueButtonOptions) {}

  /**
   * Creates the meeting if necessary.
   * @throws ProviderError
   */
  async create(meeting: Meeting): Promise<void> {
    const url = this.#signedUrl('create', {
      meetingID: meeting.id,
      name: meeting.name,
      ...(meeting.voiceOnly && { lockSettingsDisableCam: 'true' }),
    });
    const { status, body } = await this.#get(url);
    const text = body.toString('utf8');
    if (status === 200 && text.includes('<returncode>SUCCESS</returncode>')) return;
    const reason = /<messageKey>(\w{1,40})<\/messageKey>/.exec(text)?.[1] ?? 'no reason';
    throw new ProviderError(`BigBlueButton answered ${status} with ${reason}`);
  }

  /** Returns the address at which one attendee enters a meeting. */
  joinUrl(meeting: Meeting, attendee: Attendee): string {
    return this.#signedUrl('join', {
      meetingID: meeting.id,
      fullName: attendee.fullName,
      role: attendee.isModerator ? 'MODERATOR' : 'VIEWER',
    });
  }

  /**
   * Signs a link of our own by the server's secret. A keyed hash and not the checksum of its API: nobody can make one
   * of the other.
   */
  sign(link: string): string {
    return createHmac('sha256', this.options.secret).update(link).digest('hex');
  }

  /** Returns true if the signature is from {@link sign}. */
  isSigned(link: string, signature: string): boolean {
    return timingSafeEqualText(signature, this.sign(link));
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
