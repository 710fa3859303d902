import { readChatResponse } from '../classify-responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import type { Random } from '../random.js';
import { changes, type Realm } from './changes.js';

/** Sends random changes of users, channels, groups and subscriptions in sequence, as fast as possible. */
export class RealmWriter {
  /** Number of the writer's changes that the service accepted. */
  done = 0;
  /**
   * Number of the writer's changes that the service rejected because another writer had changed the same objects
   * before.
   */
  refused = 0;

  constructor(
    private readonly realm: Realm,
    private readonly parts: { readonly random: Random; readonly findings: Findings },
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { random, findings } = this.parts;
    while (!signal.aborted) {
      const verdict = readChatResponse(await random.pick(changes)(this.realm, random));
      if (verdict.kind === 'done') {
        this.done += 1;
        this.#recordIds(verdict.body);
      } else if (verdict.kind === 'refused') this.refused += 1;
      else findings.add(`a change: ${JSON.stringify(verdict)}`);
    }
  }

  /** Stores the ids of groups and bots in a response, so that later changes can use these groups and bots. */
  #recordIds(body: unknown): void {
    const [group, bot] = [member(body, 'group_id'), member(body, 'user_id')];
    if (typeof group === 'number') this.realm.groups.push(group);
    if (typeof bot === 'number' && !this.realm.bots.includes(bot)) this.realm.bots.push(bot);
  }
}
