import type { ChatActor } from '../infra/http/chat-actor.js';
import type { QueueFilter, QueueFormat } from './event-queue-options.js';

/** The event queue for which an event is rendered, and its owner. */
export interface EventViewer extends QueueFormat {
  readonly viewer: ChatActor;
  readonly queueId: string;
  readonly filter: QueueFilter;
  /** True if the event's audience names the owner of the queue, not only one of the owner's roles. */
  readonly isAddressee: boolean;
  /** Decrypts a secret of a bot in the event log: its API key, or the token of its service. */
  readonly openSecret: (userId: number, sealed: string) => string;
  /** Returns the token of a link to the archive of an export, which works as long as the viewer is an administrator. */
  readonly exportToken: (exportId: number) => string;
  /** Returns true if the event queue fetches events of a type. */
  readonly wants: (type: string) => boolean;
}
