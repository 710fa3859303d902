import { createBadRequestError } from '../../errors.js';

/** Names of the columns of a subscription that the subscriber can set. */
export type SubscriptionPreferenceColumn =
  | 'color'
  | 'is_muted'
  | 'pin_to_top'
  | 'desktop_notifications'
  | 'audible_notifications'
  | 'push_notifications'
  | 'email_notifications'
  | 'wildcard_mentions_notify';

/** A validated value for one column of a subscription that the subscriber sets. */
export interface SubscriptionPreference {
  readonly channelId: number;
  readonly column: SubscriptionPreferenceColumn;
  readonly value: boolean | string;
}

const booleanSubscriptionPreferenceNames: readonly SubscriptionPreferenceColumn[] = [
  'is_muted',
  'pin_to_top',
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
];

/**
 * Returns the column and value for a property that a client sets on a subscription. The older property `in_home_view`
 * is the opposite of `is_muted`.
 *
 * @throws ApplicationError BAD_REQUEST for an unknown property, or a value of another type
 */
export function parseSubscriptionPreference(
  channelId: number,
  property: string,
  value: unknown,
): SubscriptionPreference {
  if (property === 'color') {
    if (typeof value !== 'string') throw createBadRequestError(`${property} is not a string`);
    if (!/^#[0-9a-fA-F]{6}$/.test(value)) throw createBadRequestError(`${property} is not a valid hex color code`);
    return { channelId, column: property, value };
  }
  const isOlderName = property === 'in_home_view';
  const column = isOlderName ? 'is_muted' : booleanSubscriptionPreferenceNames.find((flag) => flag === property);
  if (column === undefined) throw createBadRequestError(`Unknown subscription property: ${property}`);
  if (typeof value !== 'boolean') throw createBadRequestError(`${property} is not a boolean`);
  return { channelId, column, value: isOlderName ? !value : value };
}
