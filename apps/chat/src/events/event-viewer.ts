import type { ChatActor } from '../infra/http/chat-actor.js';
import type { EventQueueFilter, EventQueueFormat } from './event-queue-options.js';

/** The event queue for which an event is rendered, and the user who owns the queue. */
export interface EventViewer extends EventQueueFormat {
  readonly viewer: ChatActor;
  readonly queueId: string;
  readonly filter: EventQueueFilter;
  /** True if the event's recipients include the queue's owner by user id, and not only by a role. */
  readonly isAddressee: boolean;
  /** Decrypts a bot's secret in the event log. The secret is the bot's API key, or the token of its service. */
  readonly openSecret: (userId: number, sealed: string) => string;
  /**
   * Returns the token of a link to the archive of a data export. The link works while the viewer is an administrator.
   */
  readonly exportToken: (exportId: number) => string;
  /** Returns true if the event queue fetches events of the given type. */
  readonly wants: (type: string) => boolean;
}
