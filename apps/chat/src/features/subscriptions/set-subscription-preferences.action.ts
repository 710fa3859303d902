import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { lockChannels, subscriptionUpdateEvent } from '../../core/channels/index.js';
import {
  type SubscriptionPreference,
  type SubscriptionPreferenceColumn,
  parseSubscriptionPreference,
} from './subscription-preferences.js';
import type { setPreferenceParameters, setPreferencesParameters } from './subscriptions.schemas.js';

/**
 * Sets properties of the actor's subscriptions (docs/contract/chat.md 2.E). Either all requested properties are set or
 * none.
 */
@Injectable()
export class SetSubscriptionPreferences {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Sets several properties of the actor's subscriptions.
   *
   * @throws ApplicationError BAD_REQUEST for an unknown property, an invalid value, or a channel to which the actor
   * does not subscribe
   */
  run(actor: ChatActor, parameters: DecodedParametersOfDefinition<typeof setPreferencesParameters>): Promise<void> {
    const preferences = parameters.subscription_data.map((one) =>
      parseSubscriptionPreference(one.stream_id, one.property, one.value),
    );
    return this.#set(actor, preferences);
  }

  /** Sets one property of the actor's subscription to one channel. The value is JSON text, or a color as plain text. */
  setSinglePreference(
    actor: ChatActor,
    channelId: number,
    { property, value }: DecodedParametersOfDefinition<typeof setPreferenceParameters>,
  ): Promise<void> {
    return this.#set(actor, [parseSubscriptionPreference(channelId, property, parsePreferenceValue(value))]);
  }

  #set(actor: ChatActor, preferences: readonly SubscriptionPreference[]): Promise<void> {
    return this.database.inTransaction(async (tx) => {
      const channelIds = [...new Set(preferences.map(({ channelId }) => channelId))];
      const channels = await lockChannels(tx, actor.realmId, { ids: channelIds }, 'subscribers');
      const archived = new Set(channels.filter((channel) => channel.is_archived).map(({ id }) => id));
      await lockSubscriptions(tx, actor.id, channelIds);
      for (const [column, values] of groupPreferencesByColumn(preferences))
        await updatePreferenceColumn(tx, actor.id, column, values);
      for (const { channelId, column, value } of preferences) {
        this.events.write(tx, actor.realmId, subscriptionUpdateEvent, {
          audience: { users: [actor.id] },
          payload: { channelId, isArchived: archived.has(channelId), property: column, value },
        });
      }
    });
  }
}

function parsePreferenceValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function lockSubscriptions(tx: Tx, userId: number, channelIds: readonly number[]): Promise<void> {
  const { rows } = await tx.query<{ channel_id: number }>(
    `SELECT channel_id FROM subscriptions WHERE user_id = $1 AND channel_id = ANY($2::bigint[]) AND is_active
     ORDER BY channel_id FOR NO KEY UPDATE`,
    [userId, channelIds],
  );
  const own = new Set(rows.map((row) => row.channel_id));
  const other = channelIds.find((id) => !own.has(id));
  if (other !== undefined) throw createBadRequestError(`Not subscribed to channel ID ${other}`);
}

/**
 * Groups the values of subscription properties by database column and channel id. If a property of a channel is given
 * twice, the later value is used.
 */
function groupPreferencesByColumn(
  preferences: readonly SubscriptionPreference[],
): Map<SubscriptionPreferenceColumn, Map<number, boolean | string>> {
  const columns = new Map<SubscriptionPreferenceColumn, Map<number, boolean | string>>();
  for (const { channelId, column, value } of preferences) {
    const values = columns.get(column) ?? new Map<number, boolean | string>();
    values.set(channelId, value);
    columns.set(column, values);
  }
  return columns;
}

/** Updates one column of the actor's subscriptions to any number of channels, in one statement. */
async function updatePreferenceColumn(
  tx: Tx,
  userId: number,
  column: SubscriptionPreferenceColumn,
  values: ReadonlyMap<number, boolean | string>,
): Promise<void> {
  const type = column === 'color' ? 'text' : 'boolean';
  await tx.query(
    `UPDATE subscriptions s SET ${column} = wanted.value
     FROM unnest($2::int[], $3::${type}[]) AS wanted(channel_id, value)
     WHERE s.user_id = $1 AND s.channel_id = wanted.channel_id`,
    [userId, [...values.keys()], [...values.values()]],
  );
}
