import { z } from 'zod';
import { defineWebhookFormat, webhookEvent } from '../define-webhook-format.js';
import {
  boldText,
  singleLine,
  markdownLink,
  markdownList,
  paragraphs,
  blockQuote,
  urlSegment,
} from '../format-payload-text.js';
import { bodySignature } from '../check-webhook-signatures.js';

const textSchema = z.string().nullish();
const personSchema = z.object({ displayName: textSchema, name: textSchema });
const namedSchema = z.object({ name: textSchema });

const issueSchema = z.object({
  key: z.string(),
  self: textSchema,
  fields: z.object({
    summary: textSchema,
    assignee: personSchema.nullish(),
    priority: namedSchema.nullish(),
    status: namedSchema.nullish(),
  }),
});

/**
 * Schema of the body of a Jira comment. Newer versions of Jira may send a document instead of a text; it is not shown.
 */
const commentSchema = z.object({
  author: personSchema.nullish(),
  updateAuthor: personSchema.nullish(),
  body: z.unknown().optional(),
});

const issuePayload = z.object({
  user: personSchema.nullish(),
  issue: issueSchema,
  comment: commentSchema.nullish(),
  issue_event_type_name: textSchema,
  // A field named toString would be inherited if it is missing, so the fields are read as entries.
  changelog: z.object({ items: z.array(z.record(z.string(), z.unknown())).nullish() }).nullish(),
  transition: z.object({ from_status: textSchema, to_status: textSchema }).nullish(),
});
type IssuePayload = z.output<typeof issuePayload>;

const issueTopic = {
  topic: '{key}: {summary}',
  values: ({ issue: one }: { issue: z.output<typeof issueSchema> }) => ({
    key: one.key,
    summary: one.fields.summary ?? '',
  }),
};

const personName = (one: z.output<typeof personSchema> | null | undefined) =>
  boldText(one?.displayName ?? one?.name ?? 'Jira');

/** Returns a link to the page of a Jira issue. Payloads contain only the issue's address in the REST API. */
function issueLink({ issue: { key, self, fields } }: { issue: z.output<typeof issueSchema> }): string {
  const [, base] = /^(https?:\/\/.+?)\/rest\/api\//.exec(self ?? '') ?? [];
  const title = `${key}: ${fields.summary ?? ''}`;
  return base === undefined ? singleLine(title) : markdownLink(title, `${base}/browse/${urlSegment(key)}`);
}

/**
 * Pattern of a link in Jira markup. No part contains an opening bracket, so that the search for a link ends before the
 * next link begins.
 */
const linkPattern = /\[([^[|\]\n]+)\|(https?:\/\/[^[\]\s|]+)(?:[ \t|][^[\]\n]*)?\]/g;

/** Converts Jira markup to Markdown, as far as Markdown has the same constructs. */
function fromJiraMarkup(source: string): string {
  return source
    .slice(0, 10_000)
    .replaceAll(/\n?\{(?:code|noformat)(?::[^{}\n]*)?\}\n?/g, '\n```\n')
    .replaceAll(/\{\{([^{}\n]+)\}\}/g, '`$1`')
    .replaceAll(linkPattern, (_found, name: string, url: string) => markdownLink(name, url))
    .replaceAll(/\[~(?:accountid:)?([^[\]\n]+)\]/g, '**$1**')
    .replaceAll(/(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/g, '**$1**');
}

function quotedComment(body: unknown): string {
  return typeof body === 'string' && body.trim() !== '' ? blockQuote(fromJiraMarkup(body)) : '';
}

/** Returns the message of a Jira comment. Some versions of Jira send comments as updates of the issue. */
function commentText(p: Pick<IssuePayload, 'issue' | 'comment' | 'user'>, verb: string): string {
  const author = p.comment?.updateAuthor ?? p.comment?.author ?? p.user;
  const quoted = quotedComment(p.comment?.body);
  return paragraphs(`${personName(author)} ${verb} ${issueLink(p)}${quoted === '' ? '.' : ':'}`, quoted);
}

const commentVerbs: ReadonlyMap<string, string> = new Map([
  ['issue_commented', 'commented on'],
  ['issue_comment_edited', 'edited a comment on'],
  ['issue_comment_deleted', 'deleted a comment on'],
]);

function updateText(p: IssuePayload): string {
  const kind = p.issue_event_type_name ?? '';
  const verb = commentVerbs.get(kind === '' && p.comment ? 'issue_commented' : kind);
  if (verb !== undefined) return commentText(p, verb);
  const { transition } = p;
  const moved = transition ? [changeLine('status', transition.from_status, transition.to_status)] : [];
  const items = (p.changelog?.items ?? []).slice(0, maxChanges).map((item) => new Map(Object.entries(item)));
  const changed = items.map((item) => changeLine(item.get('field'), item.get('fromString'), item.get('toString')));
  const lines = p.changelog ? changed : moved;
  const assignee = p.issue.fields.assignee ? ` (assigned to ${personName(p.issue.fields.assignee)})` : '';
  return paragraphs(
    `${personName(p.user)} updated ${issueLink(p)}${assignee}${lines.length === 0 ? '.' : ':'}`,
    markdownList(lines),
  );
}

/** Maximum number of changed issue fields in a message. */
const maxChanges = 20;

function changeLine(field: unknown, before: unknown, after: unknown): string {
  const shown = (value: unknown) => (typeof value === 'string' ? singleLine(value) : '') || 'none';
  return shown(before) === shown(after) ? '' : `${boldText(shown(field))}: ${shown(before)} → ${shown(after)}`;
}

const commentEvent = (verb: string) =>
  webhookEvent({
    payload: z.object({ issue: issueSchema, comment: commentSchema, user: personSchema.nullish() }),
    ...issueTopic,
    text: (p) => commentText(p, verb),
  });

/** Jira events that cause no message, as in the reference server. */
const silentEvents: ReadonlySet<string> = new Set([
  'attachment_created',
  'issuelink_created',
  'issuelink_deleted',
  'jira:version_released',
  'jira:worklog_updated',
  'sprint_closed',
  'sprint_started',
  'worklog_created',
  'worklog_updated',
]);

/** Format of the webhooks of Jira Cloud and Jira Data Center. */
export const jira = defineWebhookFormat({
  name: 'jira',
  displayName: 'Jira',
  sender: 'Jira',
  documentation: 'https://developer.atlassian.com/server/jira/platform/webhooks/',
  payload: z.looseObject({ webhookEvent: z.string().optional(), transition: z.unknown().optional() }),
  signature: bodySignature('X-Hub-Signature', { prefix: 'sha256=' }),
  escapesUrlTwice: true,
  route({ payload }) {
    const event = payload.webhookEvent ?? (payload.transition ? 'jira:issue_updated' : 'unknown');
    return silentEvents.has(event) ? [] : [{ event, payload }];
  },
  events: {
    'jira:issue_created': webhookEvent({
      payload: issuePayload,
      ...issueTopic,
      text: (p) =>
        paragraphs(
          `${personName(p.user)} created ${issueLink(p)}:`,
          markdownList([
            `${boldText('Priority')}: ${singleLine(p.issue.fields.priority?.name ?? 'none')}`,
            `${boldText('Assignee')}: ${singleLine(p.issue.fields.assignee?.displayName ?? 'nobody')}`,
          ]),
        ),
    }),
    'jira:issue_updated': webhookEvent({ payload: issuePayload, ...issueTopic, text: updateText }),
    'jira:issue_deleted': webhookEvent({
      payload: issuePayload,
      ...issueTopic,
      text: (p) => `${personName(p.user)} deleted ${issueLink(p)}.`,
    }),
    comment_created: commentEvent('commented on'),
    comment_updated: commentEvent('edited a comment on'),
    comment_deleted: commentEvent('deleted a comment on'),
  },
});
