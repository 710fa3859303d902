import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError } from '../../errors.js';
import { CHAT_CONFIG_TOKEN } from '../../tokens.js';
import type { RealmSettings } from '../../core/realms/index.js';
import type { VideoCallProvider, VideoCallRequest } from './call-provider.js';

/**
 * Creates links to video calls on a Jitsi server. Room URLs are random and unguessable, so that no request to the
 * server is needed.
 */
@Injectable()
export class JitsiCallProvider implements VideoCallProvider {
  constructor(@Inject(CHAT_CONFIG_TOKEN) private readonly config: ChatConfig) {}

  /**
   * Returns the URL of the Jitsi server that the organization has configured, otherwise the operator's Jitsi server.
   * Returns null if no server is configured.
   */
  getJitsiServerUrl(settings: RealmSettings): string | null {
    return settings.jitsi_server_url ?? this.config.JITSI_SERVER_URL ?? null;
  }

  async createCall({ settings, isVideo }: VideoCallRequest): Promise<string> {
    const server = this.getJitsiServerUrl(settings);
    if (server === null) throw createBadRequestError('Jitsi is not configured.');
    const room = randomBytes(16).toString('hex');
    return `${server.replace(/\/+$/, '')}/${room}#config.startWithVideoMuted=${!isVideo}`;
  }
}
