import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { toAnchorPageFlags, toAnchorIdRanges } from '@switchboard/pagination';
import type { z } from 'zod';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { isSpectator } from '../../access/spectator-actor.js';
import type { DecodedParametersOfDefinition } from '../../../infra/http/parameter-decorators.js';
import type { ChatConfig } from '../../../config.js';
import type { JsonBytes } from '../../../infra/http/json-byte-chunks.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../../tokens.js';
import { RealmMarkdownSettingsCache } from '../../realm-markdown-settings/index.js';
import { emptyTopicName } from '../../../events/empty-topic-name.js';
import { parseMessageSelection, type MessageSelection } from './parse-message-anchor.js';
import { createSpectatorActorOfHost } from './get-spectator.js';
import type { listMessagesResponseBody, listMessagesParameters } from './list-messages.schemas.js';
import { listMessageFlagNames } from '../wire/message-flag-bits.js';
import { type MessagesPage, readMessagesPage } from './messages-page.repository.js';
import { selectAccessibleMessageClauses, type NarrowedMessagesSql } from './narrow/accessible-messages.js';
import { createSearchHighlighter } from './narrow/highlight-search.js';
import { mapWithEventLoopPauses } from './narrow/map-with-event-loop-pauses.js';
import { parseAndCheckNarrow, type ParsedAndCheckedNarrow } from './narrow/prepare-narrow.js';
import {
  type SelectedMessageIds,
  createSelectedMessagesSql,
  findAnchorAndPageMessages,
} from './narrow/select-messages-of-narrow.js';
import { NumberedSqlParameters } from './narrow/numbered-sql-parameters.js';
import { createTopicLinkAdder } from './find-topic-links.js';
import type { MessageTextForm } from '../wire/message-rows-sql.js';
import { type FetchedMessage, toFetchedMessage } from '../wire/wire-message.js';
import { writeMessagesJson } from './write-messages-json.js';

type ListMessagesParameters = DecodedParametersOfDefinition<typeof listMessagesParameters>;
type ListMessagesResponse = Omit<z.infer<typeof listMessagesResponseBody>, 'result' | 'msg' | 'messages'> & {
  /**
   * Messages of the page in a GET /messages response. If the page is large, the messages are already serialized as
   * JSON.
   */
  readonly messages: readonly FetchedMessage[] | JsonBytes;
};

/** A page of messages, with a function that reads messages of the page by id. */
interface MessagesPageWithReader {
  readonly page: MessagesPage;
  readonly search: ParsedAndCheckedNarrow['search'];
  readonly reread: (ids: readonly number[]) => Promise<MessagesPage>;
}

interface MessagesPageOptions {
  readonly actor: ChatActor;
  readonly narrowed: (parameters: NumberedSqlParameters) => NarrowedMessagesSql;
  readonly form: MessageTextForm;
  readonly search: ParsedAndCheckedNarrow['search'];
}

/** Maximum size in bytes of the message texts that one SQL statement reads. Several statements read a larger page. */
const maxPageBytesPerStatement = 4_194_304;

/** Handles GET /messages (chat-4.7, docs/contract/chat.md 5.3 to 5.5). */
@Injectable()
export class ListMessages {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'MESSAGES_MAX_BYTES'>,
    private readonly contents: RealmMarkdownSettingsCache,
  ) {}

  /**
   * @param signedIn actor, or null for a client without an account
   * @throws ApplicationError BAD_REQUEST, BAD_NARROW, REQUEST_VARIABLE_MISSING, UNAUTHORIZED
   */
  async run(
    signedIn: ChatActor | null,
    host: string,
    parameters: ListMessagesParameters,
  ): Promise<ListMessagesResponse> {
    const actor = signedIn ?? (await createSpectatorActorOfHost(this.database, host));
    const selection = parseMessageSelection(parameters);
    const { page, search, reread } = await this.#read(actor, parameters, selection);
    const view = {
      viewer: actor,
      applyMarkdown: parameters.apply_markdown,
      clientGravatar: parameters.client_gravatar,
      emptyTopicName: parameters.allow_empty_topic_name ? null : emptyTopicName,
      editHistoryPolicy: page.editHistoryPolicy,
    };
    const withTopicLinks = createTopicLinkAdder(await this.contents.get(actor.realmId));
    const fetched = async (part: MessagesPage): Promise<FetchedMessage[]> => {
      const withMatch = await this.#createMatchHighlighter(search, part);
      return mapWithEventLoopPauses(part.messages, ({ message, flags }) =>
        withMatch(toFetchedMessage(withTopicLinks(message), listMessageFlagNames(flags), view), message.rendered ?? ''),
      );
    };
    const messages =
      page.sizes === null
        ? await fetched(page)
        : await writeMessagesJson(page.sizes, this.config.MESSAGES_MAX_BYTES, async (ids) =>
            fetched(await reread(ids)),
          );
    return {
      ...getHistoryEndFields(selection, page),
      history_limited: false,
      messages,
    };
  }

  /**
   * Reads the messages of a request, which match its narrow (filter). Without a narrow, reads all messages that the
   * actor can read.
   */
  async #read(
    actor: ChatActor,
    { narrow: asked, apply_markdown: isHtml }: ListMessagesParameters,
    selection: MessageSelection,
  ): Promise<MessagesPageWithReader> {
    const form = isHtml ? 'html' : 'markdown';
    if (selection.kind === 'ids' && asked.length === 0 && !isSpectator(actor)) {
      const narrowed = (sql: NumberedSqlParameters) => selectAccessibleMessageClauses(actor, sql);
      return this.#page({ ...selection, anchor: null }, { actor, narrowed, form, search: null });
    }
    const narrow = await parseAndCheckNarrow(this.database, actor, asked);
    const { search } = narrow;
    const found = await findAnchorAndPageMessages(this.database, narrow, selection);
    const narrowed = (sql: NumberedSqlParameters) => createSelectedMessagesSql(narrow, sql);
    return this.#page(found, { actor, narrowed, form: search === null ? form : 'both', search });
  }

  async #page(
    selection: SelectedMessageIds,
    { actor, narrowed, form, search }: MessagesPageOptions,
  ): Promise<MessagesPageWithReader> {
    const read = (part: SelectedMessageIds, maxBytes?: number): Promise<MessagesPage> => {
      const parameters = new NumberedSqlParameters();
      const source = { parameters, realmId: actor.realmId, narrowed: narrowed(parameters), form };
      return readMessagesPage(this.database, part, { ...source, ...(maxBytes !== undefined && { maxBytes }) });
    };
    return {
      page: await read(selection, Math.min(maxPageBytesPerStatement, this.config.MESSAGES_MAX_BYTES)),
      search,
      reread: (ids) => read({ kind: 'ids', anchor: null, ids }),
    };
  }

  /** Returns a function that adds highlighted search matches to a message of a response. */
  async #createMatchHighlighter(
    search: ParsedAndCheckedNarrow['search'],
    page: MessagesPage,
  ): Promise<(message: FetchedMessage, html: string) => FetchedMessage> {
    if (search === null) return (message) => message;
    const texts = page.messages.map(({ message }) => ({ topic: message.topic, html: message.rendered ?? '' }));
    const mark = await createSearchHighlighter(this.database, search, texts);
    return (message, html) => ({ ...message, ...mark({ topic: message.subject, html }) });
  }
}

/**
 * Returns the response fields that state whether the page includes the oldest and newest messages
 * (docs/contract/chat.md 5.5).
 */
function getHistoryEndFields(selection: MessageSelection, { anchor, ids }: MessagesPage) {
  if (selection.kind === 'ids') return { found_anchor: false, found_oldest: false, found_newest: false };
  const window = toAnchorIdRanges(anchor, {
    numBefore: selection.before,
    numAfter: selection.after,
    includeAnchor: selection.includeAnchor,
  });
  const flags = toAnchorPageFlags(window, ids);
  return {
    anchor,
    found_anchor: flags.foundAnchor,
    found_oldest: flags.foundOldest,
    found_newest: flags.foundNewest,
  };
}
