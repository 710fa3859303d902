import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../../errors.js';
import type { DecodedParametersOfDefinition } from '../../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../../tokens.js';
import { RealmMarkdownSettingsCache } from '../../realm-markdown-settings/index.js';
import { emptyTopicName } from '../../../events/empty-topic-name.js';
import type { getMessageParameters } from './get-message.schemas.js';
import { createSpectatorActorOfHost } from './get-spectator.js';
import { listMessageFlagNames } from '../wire/message-flag-bits.js';
import { readMessagesPage } from './messages-page.repository.js';
import { selectAccessibleMessageClauses } from './narrow/accessible-messages.js';
import { NumberedSqlParameters } from './narrow/numbered-sql-parameters.js';
import { createTopicLinkAdder } from './find-topic-links.js';
import { type FetchedMessage, toFetchedMessage } from '../wire/wire-message.js';

type GetMessageParameters = DecodedParametersOfDefinition<typeof getMessageParameters>;

/** Handles GET /messages/{message_id} (docs/contract/chat.md 2.C). */
@Injectable()
export class GetMessage {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly contents: RealmMarkdownSettingsCache,
  ) {}

  /**
   * @param signedIn actor, or null for a client without an account
   * @throws ApplicationError BAD_REQUEST `Invalid message(s)` for a message that is missing or hidden. UNAUTHORIZED for
   * a client without an account, unless the realm allows spectators.
   */
  async run(
    signedIn: ChatActor | null,
    host: string,
    id: number,
    parameters: GetMessageParameters,
  ): Promise<{ message: FetchedMessage; raw_content: string }> {
    const actor = signedIn ?? (await createSpectatorActorOfHost(this.database, host));
    const sql = new NumberedSqlParameters();
    const page = await readMessagesPage(
      this.database,
      { kind: 'ids', anchor: null, ids: [id] },
      {
        narrowed: selectAccessibleMessageClauses(actor, sql),
        parameters: sql,
        realmId: actor.realmId,
        form: 'both',
      },
    );
    const [found] = page.messages;
    if (found === undefined) throw createBadRequestError('Invalid message(s)');
    const withTopicLinks = createTopicLinkAdder(await this.contents.get(actor.realmId));
    const message = toFetchedMessage(withTopicLinks(found.message), listMessageFlagNames(found.flags), {
      viewer: actor,
      applyMarkdown: parameters.apply_markdown,
      clientGravatar: false,
      emptyTopicName: parameters.allow_empty_topic_name ? null : emptyTopicName,
      editHistoryPolicy: page.editHistoryPolicy,
    });
    return { message, raw_content: found.message.content ?? '' };
  }
}
