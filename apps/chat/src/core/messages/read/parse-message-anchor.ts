import { normalizeIsoDate } from './parse-iso-date.js';
import { newestAnchorId } from '@switchboard/pagination';
import { createBadRequestError, chatErrors } from '../../../errors.js';
import type { DecodedParametersOfDefinition } from '../../../infra/http/parameter-decorators.js';
import type { listMessagesParameters } from './list-messages.schemas.js';

type MessageSelectionParameters = Pick<
  DecodedParametersOfDefinition<typeof listMessagesParameters>,
  (typeof messageRangeParameterNames)[number] | 'anchor_date' | 'message_ids'
>;

/** Start position of a page of messages: a message id, or a position that the database has to find. */
export type MessageAnchor =
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'newest' }
  | { readonly kind: 'oldest' }
  | { readonly kind: 'first_unread' }
  | { readonly kind: 'date'; readonly date: Date };

/** Messages that a request selects: a range around an anchor, or given ids. */
export type MessageSelection =
  | {
      readonly kind: 'range';
      readonly anchor: MessageAnchor;
      readonly before: number;
      readonly after: number;
      readonly includeAnchor: boolean;
    }
  | { readonly kind: 'ids'; readonly ids: readonly number[] };

const maxMessagesPerPage = 5000;

/**
 * Parses the message selection of a request.
 * @throws ApplicationError BAD_REQUEST or REQUEST_VARIABLE_MISSING, see chat-4.7 and docs/contract/chat.md 5.5
 */
export function parseMessageSelection(parameters: MessageSelectionParameters): MessageSelection {
  if (parameters.message_ids !== undefined) return createSelectionByIds(parameters, parameters.message_ids);
  const { num_before: before, num_after: after, include_anchor: includeAnchor = true } = parameters;
  if (before === undefined) throw createMissingParameterError('num_before');
  if (after === undefined) throw createMissingParameterError('num_after');
  const anchor = parseMessageAnchor(parameters);
  if (!includeAnchor && before > 0 && after > 0) {
    throw createBadRequestError('The anchor can only be excluded at an end of the range');
  }
  if (before + after > maxMessagesPerPage) throw createTooManyMessagesError();
  return { kind: 'range', anchor, before, after, includeAnchor };
}

/**
 * Names of the request parameters that select a range of messages. A request cannot combine these parameters with
 * message ids.
 */
const messageRangeParameterNames = [
  'anchor',
  'include_anchor',
  'use_first_unread_anchor',
  'num_before',
  'num_after',
] as const;

function createSelectionByIds(parameters: MessageSelectionParameters, ids: readonly number[]): MessageSelection {
  const conflicting = messageRangeParameterNames.filter((name) => parameters[name] !== undefined);
  if (conflicting.length > 0) {
    throw createBadRequestError(`Unsupported parameter combination: ${[...conflicting, 'message_ids'].join(', ')}`);
  }
  if (ids.length > maxMessagesPerPage) throw createTooManyMessagesError();
  return { kind: 'ids', ids };
}

/**
 * Parses the anchor of a request, which is the start position of the requested page. If a client sends an anchor and
 * also the older flag `use_first_unread_anchor`, the flag takes precedence (docs/contract/chat.md 8.13).
 */
function parseMessageAnchor(parameters: MessageSelectionParameters): MessageAnchor {
  if (parameters.use_first_unread_anchor === true) return { kind: 'first_unread' };
  const { anchor } = parameters;
  switch (anchor) {
    case undefined:
    case '':
      throw createBadRequestError("Missing 'anchor' argument.");
    case 'newest':
    case 'oldest':
    case 'first_unread':
      return { kind: anchor };
    case 'date':
      return { kind: 'date', date: parseAnchorDate(parameters.anchor_date) };
    default:
      return parseIdAnchor(anchor);
  }
}

function parseIdAnchor(anchor: string): MessageAnchor {
  if (!/^-?\d{1,30}$/.test(anchor)) throw createBadRequestError('Invalid anchor');
  const id = Math.max(0, Number(anchor));
  return id >= newestAnchorId ? { kind: 'newest' } : { kind: 'id', id: Math.min(id, Number.MAX_SAFE_INTEGER) };
}

/** Pattern of a time of day in the extended or basic form of ISO 8601. */
const isoTimePattern = /^(?<hour>\d{2})(?::?(?<minute>\d{2})(?::?(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?)?$/;
const isoZonePattern = /^(?<sign>[+-])(?<hours>\d{2}):?(?<minutes>\d{2})?$/;

/**
 * Parses a date or time that a request uses as an anchor. A date without a time means the first moment of the day. A
 * time without a time zone is in UTC.
 */
function parseAnchorDate(text: string | undefined): Date {
  if (text === undefined) throw createMissingParameterError('anchor_date');
  const [, dayText = '', timeText = '00', zoneText = 'Z'] = /^([^T ]+)(?:[T ]([^Z+-]+)(.*))?$/i.exec(text) ?? [];
  const date = normalizeIsoDate(dayText);
  const time = isoTimePattern.exec(timeText)?.groups;
  const zone = /^Z?$/i.test(zoneText) ? { sign: '+', hours: '00' } : isoZonePattern.exec(zoneText)?.groups;
  if (date === null || time === undefined || zone === undefined) throw createBadRequestError('Invalid anchor_date');
  const { hour, minute = '00', second = '00', fraction = '0' } = time;
  const moment = new Date(
    `${date}T${hour}:${minute}:${second}.${fraction}${zone['sign']}${zone['hours']}:${zone['minutes'] ?? '00'}`,
  );
  if (Number.isNaN(moment.getTime())) throw createBadRequestError('Invalid anchor_date');
  return moment;
}

function createMissingParameterError(name: string): Error {
  const fields = { var_name: name };
  return chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
}

function createTooManyMessagesError(): Error {
  return createBadRequestError(`Too many messages requested (maximum ${maxMessagesPerPage}).`);
}
