import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { parseRequiredText } from '../../infra/http/parse-text-parameters.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { AlertWordAndMuteCache } from '../../core/alert-words-and-mutes/index.js';
import { alertWordsEvent } from './alert-words.events.js';
import { lockUserRow } from '../../core/database-locks.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { addAlertWords, listAlertWords, removeAlertWords } from './alert-words.repository.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';

/** Maximum length of an alert word, in code points (docs/contract/chat.md 2.F). */
const maxAlertWordLength = 100;

/**
 * Maximum number of alert words of one user. A limit is necessary because every message of the realm is searched for
 * all alert words.
 */
const maxAlertWords = 1_000;

/** Response with all alert words of a user. */
export interface AlertWordListResponse {
  readonly alert_words: string[];
}

/** Lists, adds and removes alert words of a user (docs/contract/chat.md 2.F). */
@Injectable()
export class ReadAndChangeAlertWords {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
    private readonly attention: AlertWordAndMuteCache,
  ) {}

  /** Lists the actor's alert words in the order in which they were added. */
  async list(actor: ChatActor): Promise<AlertWordListResponse> {
    return { alert_words: await listAlertWords(this.database, actor.id) };
  }

  /**
   * Adds alert words for the actor. Returns all alert words of the actor.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  add(actor: ChatActor, sent: readonly string[]): Promise<AlertWordListResponse> {
    const words = sent.map((word, index) => parseRequiredText(`alert_words[${index}]`, word, maxAlertWordLength));
    return this.#change(actor, async (tx) => {
      if (new Set(words.map(normalizeTextForComparison)).size > maxAlertWords) throw createTooManyAlertWordsError();
      const isChanged = await addAlertWords(tx, actor.id, words);
      const { length } = await listAlertWords(tx, actor.id);
      if (length > maxAlertWords) throw createTooManyAlertWordsError();
      return isChanged;
    });
  }

  /** Removes alert words of the actor. Returns the remaining alert words of the actor. */
  remove(actor: ChatActor, sent: readonly string[]): Promise<AlertWordListResponse> {
    return this.#change(actor, (tx) =>
      removeAlertWords(
        tx,
        actor.id,
        sent.map((word) => word.trim()),
      ),
    );
  }

  async #change(actor: ChatActor, change: (tx: ChatTransaction) => Promise<boolean>): Promise<AlertWordListResponse> {
    const words = await this.database.inTransaction(async (tx) => {
      await lockUserRow(tx, actor.id);
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
