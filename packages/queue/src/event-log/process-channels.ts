import { EventEmitter } from 'node:events';
import type { ChannelSubscriber } from './event-log-store.js';

/** Subscription of one event log to the channels of its process. */
class ProcessChannelSubscriber extends EventEmitter implements ChannelSubscriber {
  private readonly channels = new Set<string>();

  subscribe(channel: string): Promise<void> {
    this.channels.add(channel);
    return Promise.resolve();
  }

  unsubscribe(channel: string): Promise<void> {
    this.channels.delete(channel);
    return Promise.resolve();
  }

  /** Passes a message to the listeners if this subscriber is subscribed to the channel. */
  receive(channel: string, message: string): void {
    if (this.channels.has(channel)) this.emit('message', channel, message);
  }
}

/** Channels within one process, in place of the channels of Redis. */
export class ProcessChannels {
  private readonly subscribers = new Set<ProcessChannelSubscriber>();

  addSubscriber(): ProcessChannelSubscriber {
    const subscriber = new ProcessChannelSubscriber();
    this.subscribers.add(subscriber);
    return subscriber;
  }

  removeSubscriber(subscriber: ProcessChannelSubscriber): void {
    this.subscribers.delete(subscriber);
  }

  /** Publishes a message in a later iteration of the event loop, after the caller has used the result of its write. */
  publish(channel: string, message: string): void {
    setImmediate(() => {
      for (const subscriber of this.subscribers) subscriber.receive(channel, message);
    });
  }

  /** Notifies all subscribers that messages may have been lost, so that they read the logs again. */
  reportInterruption(): void {
    setImmediate(() => {
      for (const subscriber of this.subscribers) subscriber.emit('ready');
    });
  }
}
