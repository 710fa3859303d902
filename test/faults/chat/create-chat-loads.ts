import { join } from 'node:path';
import { reserveLocalPort } from '@switchboard/testing';
import type { Findings } from '../findings.js';
import type { Random } from '../random.js';
import type { FaultSettings } from '../settings.js';
import type { StoreAddresses } from '../stores/stores.js';
import type { ChatLoad } from './chat-load.js';
import type { ChatUser } from './chat-user.js';
import { ExportRequester } from './export-requester.js';
import { MailSender } from './mail-sender.js';
import { ScheduledMessageWriter } from './scheduled-message-writer.js';
import { UploadWriter } from './upload-writer.js';

/** Name of a load of chat beside messages and events. */
export type ChatLoadName = 'scheduled messages' | 'uploads' | 'mails' | 'exports';

/** Returns the loads of a run of the fault tests. */
export function chatLoadsOf({ usesAllChatLoads }: FaultSettings): readonly ChatLoadName[] {
  return usesAllChatLoads ? ['scheduled messages', 'uploads', 'mails', 'exports'] : ['scheduled messages'];
}

/** Fault points of worker processes that a load reaches. */
const faultPoints: Readonly<Record<ChatLoadName, readonly string[]>> = {
  'scheduled messages': ['scheduled-messages.before-commit', 'scheduled-messages.after-commit'],
  uploads: [],
  mails: ['channel-mail.after-commit'],
  exports: ['realm-export.before-commit', 'realm-export.after-commit'],
};

/** Returns the fault points that worker processes reach under the given loads. */
export const faultPointsOfChatLoads = (names: readonly ChatLoadName[]): string[] =>
  names.flatMap((name) => faultPoints[name]);

/** Returns the environment variables that chat processes need for the loads. Mails need a deployment with one worker. */
export async function environmentOfChatLoads(
  names: readonly ChatLoadName[],
  { folder }: StoreAddresses,
): Promise<Readonly<Record<string, string>>> {
  return {
    UPLOADS_DIR: join(folder, 'uploads'),
    ...(names.includes('uploads') && { RESUMABLE_UPLOADS_PER_USER: '100000' }),
    ...(names.includes('mails') && {
      INCOMING_MAIL_PORT: String(await reserveLocalPort()),
      INCOMING_MAIL_ROLE: 'worker',
      INCOMING_MAIL_PARSE_MS: '120000',
      RATE_LIMIT_CHANNEL_MAIL_BY_REALM: 'off',
    }),
    // Another worker continues the export of a killed one soon.
    ...(names.includes('exports') && {
      REALM_EXPORTS_PER_WEEK: '100000',
      REALM_EXPORT_POLL_MS: '250',
      REALM_EXPORT_LEASE_MS: '3000',
    }),
  };
}

/** Creates the loads of a user. `env` contains the environment variables of the chat processes. */
export function createChatLoads(
  names: readonly ChatLoadName[],
  parts: {
    readonly user: ChatUser;
    readonly administrator: ChatUser;
    readonly env: Readonly<Record<string, string>>;
    readonly random: Random;
    readonly findings: Findings;
    readonly writePauseMs: number;
  },
): readonly ChatLoad[] {
  const { user, administrator, env, random, ...others } = parts;
  const create = (name: ChatLoadName): ChatLoad => {
    const own = { random: random.fork(), ...others };
    switch (name) {
      case 'scheduled messages':
        return new ScheduledMessageWriter(user, 'scheduled', own);
      case 'uploads':
        return new UploadWriter(user, 'uploaded', own);
      case 'mails':
        return new MailSender(user, 'mailed', { ...own, port: Number(env['INCOMING_MAIL_PORT']) });
      case 'exports':
        return new ExportRequester(administrator, own);
    }
  };
  return names.map(create);
}
