import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import type { DecodedParametersOfDefinition } from '../../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../../tokens.js';
import type { matchesNarrowParameters } from './check-messages-match-narrow.schemas.js';
import { createSearchHighlighter, type SearchMatch } from './narrow/highlight-search.js';
import { mapWithEventLoopPauses } from './narrow/map-with-event-loop-pauses.js';
import { createNarrowedMessages } from './narrow/narrow-sql.js';
import { parseAndCheckNarrow } from './narrow/prepare-narrow.js';
import { NumberedSqlParameters } from './narrow/numbered-sql-parameters.js';
import { shownTopicSql } from '../topics/topic-row-sql.js';

type MatchesNarrowParameters = DecodedParametersOfDefinition<typeof matchesNarrowParameters>;

/** Handles GET /messages/matches_narrow (docs/contract/chat.md 2.C). */
@Injectable()
export class CheckMessagesMatchNarrow {
  constructor(@Inject(DATABASE_TOKEN) private readonly database: Database) {}

  /**
   * Returns those of the given messages that match a narrow (filter).
   *
   * @throws ApplicationError BAD_NARROW, even if no message ids are given
   */
  async run(
    actor: ChatActor,
    { msg_ids: ids, narrow }: MatchesNarrowParameters,
  ): Promise<{ messages: Record<string, SearchMatch> }> {
    const prepared = await parseAndCheckNarrow(this.database, actor, narrow);
    if (ids.length === 0 || prepared.isEmpty) return { messages: {} };
    const parameters = new NumberedSqlParameters();
    const narrowed = createNarrowedMessages(prepared, parameters);
    const { rows } = await this.database.query<{ id: number; topic: string; html: string }>(
      `SELECT m.id, ${shownTopicSql} AS topic,
         (SELECT rendered_content FROM message_texts WHERE message_id = m.id) AS html
       FROM ${narrowed.from} WHERE ${narrowed.where} AND ${narrowed.id} = ANY(${parameters.addValue(ids)}::bigint[])
       ORDER BY m.id`,
      parameters.values,
    );
    const mark = await createSearchHighlighter(this.database, prepared.search ?? [], rows);
    return { messages: Object.fromEntries(await mapWithEventLoopPauses(rows, (row) => [row.id, mark(row)] as const)) };
  }
}
