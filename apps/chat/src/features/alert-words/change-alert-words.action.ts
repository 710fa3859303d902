import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { parseRequiredText } from '../../infra/http/parse-text-parameters.js';
import { DATABASE } from '../../tokens.js';
import { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { alertWordsEvent } from './alert-words.events.js';
import { lockRowOwner } from '../../core/database-locks.js';
import { toTextKey } from '../../infra/normalized-text-key.js';
import { addAlertWords, listAlertWords, removeAlertWords } from './alert-words.repository.js';
import type { ChatDatabase, ChatTx } from '../../infra/open-prisma.js';

/** Maximum length of an alert word, in code points (docs/contract/chat.md 2.F). */
const maxAlertWordLength = 100;

/**
 * Maximum number of alert words of one user. A limit is necessary because every message of the realm is searched for
 * all alert words.
 */
const maxAlertWords = 1_000;

/** Response with all alert words of a user. */
export interface AlertWordList {
  readonly alert_words: string[];
}

/** Lists, adds and removes alert words of a user (docs/contract/chat.md 2.F). */
@Injectable()
export class ChangeAlertWords {
  constructor(
    @Inject(DATABASE) private readonly database: ChatDatabase,
    private readonly events: ChatEvents,
    private readonly attention: AlertWordAndMuteCache,
  ) {}

  /** Lists the actor's alert words in the order in which they were added. */
  async list(actor: ChatActor): Promise<AlertWordList> {
    return { alert_words: await listAlertWords(this.database, actor.id) };
  }

  /**
   * Adds alert words for the actor. Returns all alert words of the actor.
   *
   * @throws AppError BAD_REQUEST
   */
  add(actor: ChatActor, sent: readonly string[]): Promise<AlertWordList> {
    const words = sent.map((word, index) => parseRequiredText(`alert_words[${index}]`, word, maxAlertWordLength));
    return this.#change(actor, async (tx) => {
      if (new Set(words.map(toTextKey)).size > maxAlertWords) throw createTooManyAlertWordsError();
      const isChanged = await addAlertWords(tx, actor.id, words);
      const { length } = await listAlertWords(tx, actor.id);
      if (length > maxAlertWords) throw createTooManyAlertWordsError();
      return isChanged;
    });
  }

  /** Removes alert words of the actor. Returns the remaining alert words of the actor. */
  remove(actor: ChatActor, sent: readonly string[]): Promise<AlertWordList> {
    return this.#change(actor, (tx) =>
      removeAlertWords(
        tx,
        actor.id,
        sent.map((word) => word.trim()),
      ),
    );
  }

  async #change(actor: ChatActor, change: (tx: ChatTx) => Promise<boolean>): Promise<AlertWordList> {
    const words = await this.database.inTransaction(async (tx) => {
      await lockRowOwner(tx, actor.id);
      const isChanged = await change(tx);
      const payload = { alert_words: await listAlertWords(tx, actor.id) };
      if (isChanged) {
        this.events.write(tx, actor.realmId, alertWordsEvent, { audience: { users: [actor.id] }, payload });
      }
      return payload;
    });
    await this.attention.invalidate(actor.realmId);
    return words;
  }
}

function createTooManyAlertWordsError(): Error {
  return createBadRequestError(`You have too many alert words (limit: ${maxAlertWords}).`);
}
