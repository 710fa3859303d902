// @ts-check
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { createContainerHttpClient } from './http-client.mjs';

const chatHostName = 'chat.example.com';
const testChannelName = 'deployments';
const testTopicName = 'this one';

/**
 * Client of a chat user who sends messages and receives messages by long polls while containers restart. The client
 * checks that no message is lost.
 */
export class ChatLoadClient {
  /** @type {Map<number, string>} messages that the service has acknowledged, by id */
  sent = new Map();
  /** @type {Map<number, string>} messages that arrived as events, by id */
  received = new Map();
  /** Number of chat requests that were rejected or had no response. */
  failed = 0;
  #queueId = '';
  #lastEventId = -1;
  #number = 0;
  #stop = new AbortController();
  /** @type {Promise<unknown>} */
  #running = Promise.resolve();

  /** @param {{ address: string, port: number, email: string, password: string }} account */
  constructor({ address, port, email, password }) {
    this.account = { email, password };
    this.target = { address, port, host: chatHostName };
    this.call = createContainerHttpClient(this.target);
  }

  /** Signs in the chat user, and registers the event queue from which {@link pollEventsOnce} reads. */
  async signInAndRegisterQueue() {
    const { email, password } = this.account;
    const key = await this.call('POST', '/api/v1/fetch_api_key', { username: email, password });
    assert.equal(key.status, 200, key.text);
    const authorization = `Basic ${Buffer.from(`${email}:${key.body.api_key}`).toString('base64')}`;
    this.call = createContainerHttpClient({ ...this.target, headers: { authorization } });
    const subscribed = await this.call('POST', '/api/v1/users/me/subscriptions', {
      subscriptions: JSON.stringify([{ name: testChannelName }]),
    });
    assert.equal(subscribed.status, 200, subscribed.text);
    const form = { event_types: '["message"]', fetch_event_types: '[]', apply_markdown: 'false' };
    const registered = await this.call('POST', '/api/v1/register', form);
    assert.equal(registered.status, 200, registered.text);
    this.#queueId = registered.body.queue_id;
  }

  /** Sends one chat message. Returns the id of the message, or null if the server did not acknowledge the message. */
  async sendMessage() {
    const content = `message ${(this.#number += 1)} of ${this.account.email}`;
    const { status, body } = await this.call('POST', '/api/v1/messages', {
      type: 'channel',
      to: testChannelName,
      topic: testTopicName,
      content,
    });
    if (status !== 200) {
      this.failed += 1;
      return null;
    }
    this.sent.set(body.id, content);
    return body.id;
  }

  /**
   * Polls once for chat events and records the received messages. Throws an error if the event queue is missing,
   * because a queue must outlive every process.
   */
  async pollEventsOnce() {
    const { status, text, body } = await this.call('GET', '/api/v1/events', {
      queue_id: this.#queueId,
      last_event_id: this.#lastEventId,
    });
    if (status === 400) throw new Error(`the event queue is lost: ${text}`);
    if (status !== 200) {
      this.failed += 1;
      await delay(100);
      return;
    }
    for (const event of body.events) {
      this.#lastEventId = Math.max(this.#lastEventId, event.id);
      if (event.type === 'message') this.received.set(event.message.id, event.message.content);
    }
  }

  /** Sends messages and polls for events until {@link stopAndCheckMessages} is called. */
  sendAndPollUntilEnd() {
    const { signal } = this.#stop;
    const sending = async () => {
      while (!signal.aborted) {
        await this.sendMessage();
        await delay(50);
      }
    };
    const polling = async () => {
      while (!signal.aborted) await this.pollEventsOnce();
    };
    this.#running = Promise.all([sending(), polling()]);
    this.#running.catch(() => undefined);
  }

  /**
   * Stops sending and polling. Compares the acknowledged messages with the received events and with the message
   * history.
   */
  async stopAndCheckMessages() {
    this.#stop.abort();
    // This message's event completes the pending poll.
    await this.sendMessage();
    await this.#running;
    const deadline = Date.now() + 60_000;
    while ([...this.sent.keys()].some((id) => !this.received.has(id)) && Date.now() < deadline)
      await this.pollEventsOnce();
    for (const [id, content] of this.sent) assert.equal(this.received.get(id), content, `the event of message ${id}`);
    await this.checkMessagesInHistory();
  }

  /** Checks that every acknowledged message is in the message history of the server. */
  async checkMessagesInHistory() {
    const stored = new Map();
    for (let anchor = '0', done = false; !done;) {
      const { status, text, body } = await this.call('GET', '/api/v1/messages', {
        anchor,
        num_before: 0,
        num_after: 1000,
        apply_markdown: 'false',
        narrow: JSON.stringify([{ operator: 'channel', operand: testChannelName }]),
      });
      assert.equal(status, 200, text);
      for (const message of body.messages) stored.set(message.id, message.content);
      done = body.found_newest;
      anchor = String(body.messages.at(-1)?.id ?? 0);
    }
    for (const [id, content] of this.sent) assert.equal(stored.get(id), content, `message ${id} in the history`);
  }
}
