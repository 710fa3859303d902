import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { anchorFlags, anchorWindow } from '@switchboard/pagination';
import type { z } from 'zod';
import type { ChatActor } from '../../access/actor.js';
import type { ParametersOf } from '../../http/parameter-decorators.js';
import { DATABASE } from '../../tokens.js';
import { emptyTopicName } from '../realms/index.js';
import { messageSelection, type MessageSelection } from './anchor.js';
import type { listMessagesBody, listMessagesParameters } from './list-messages.schemas.js';
import { flagNames } from './message-flags.js';
import { type MessagesPage, readMessagesPage } from './messages-page.repository.js';
import { narrowTerms } from './narrow/narrow-terms.js';
import { accessibleMessages, narrowedMessages } from './narrow/narrowed-messages.js';
import { resolveNarrow } from './narrow/resolve-narrow.js';
import { SqlParameters } from './narrow/sql-text.js';
import { toFetchedMessage } from './wire-message.js';

type Parameters = ParametersOf<typeof listMessagesParameters>;
type Answer = Omit<z.infer<typeof listMessagesBody>, 'result' | 'msg'>;

/** Answers GET /messages (chat.md 4.7, chat-contract 5.3 to 5.5). */
@Injectable()
export class ListMessages {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** @throws AppError BAD_REQUEST, BAD_NARROW, REQUEST_VARIABLE_MISSING */
  async run(actor: ChatActor, parameters: Parameters): Promise<Answer> {
    const selection = messageSelection(parameters);
    const page = await this.#read(actor, parameters, selection);
    const view = {
      viewer: actor,
      applyMarkdown: parameters.apply_markdown,
      clientGravatar: parameters.client_gravatar,
      emptyTopicName: parameters.allow_empty_topic_name ? null : emptyTopicName,
      editHistoryPolicy: page.editHistoryPolicy,
    };
    return {
      ...found(selection, page),
      history_limited: false,
      messages: page.messages.map(({ message, flags }) => toFetchedMessage(message, flagNames(flags), view)),
    };
  }

  async #read(actor: ChatActor, parameters: Parameters, selection: MessageSelection): Promise<MessagesPage> {
    const terms = narrowTerms(parameters.narrow);
    const sql = new SqlParameters();
    const byIdAlone = selection.kind === 'ids' && terms.length === 0;
    const names = await resolveNarrow(this.database, actor, terms);
    const narrowed = byIdAlone
      ? accessibleMessages(actor, sql)
      : narrowedMessages(terms, { actor, names, parameters: sql, emptyTopicName });
    return readMessagesPage(this.database, selection, {
      narrowed,
      parameters: sql,
      actorId: actor.id,
      realmId: actor.realmId,
      namesChannel: terms.some((term) => term.operator === 'channel' && !term.negated),
      applyMarkdown: parameters.apply_markdown,
    });
  }
}

/** What a page says about the ends of the history (chat-contract 5.5). */
function found(selection: MessageSelection, { anchor, messages }: MessagesPage) {
  if (selection.kind === 'ids') return { found_anchor: false, found_oldest: false, found_newest: false };
  const window = anchorWindow(anchor, {
    numBefore: selection.before,
    numAfter: selection.after,
    includeAnchor: selection.includeAnchor,
  });
  const flags = anchorFlags(
    window,
    messages.map(({ message }) => message.id),
  );
  return {
    anchor,
    found_anchor: flags.foundAnchor,
    found_oldest: flags.foundOldest,
    found_newest: flags.foundNewest,
  };
}
