import { z } from 'zod';
import { defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownList,
  joinParagraphs,
  formatBlockQuote,
  encodeUrlSegment,
} from '../format-payload-text.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';

const nullableTextSchema = z.string().nullish();
const jiraUserSchema = z.object({ displayName: nullableTextSchema, name: nullableTextSchema });
const jiraNamedObjectSchema = z.object({ name: nullableTextSchema });

const jiraIssueSchema = z.object({
  key: z.string(),
  self: nullableTextSchema,
  fields: z.object({
    summary: nullableTextSchema,
    assignee: jiraUserSchema.nullish(),
    priority: jiraNamedObjectSchema.nullish(),
    status: jiraNamedObjectSchema.nullish(),
  }),
});

/**
 * Schema of the body of a Jira comment. Newer versions of Jira may send a document instead of a text; messages do not
 * show the document.
 */
const jiraCommentSchema = z.object({
  author: jiraUserSchema.nullish(),
  updateAuthor: jiraUserSchema.nullish(),
  body: z.unknown().optional(),
});

const jiraIssuePayloadSchema = z.object({
  user: jiraUserSchema.nullish(),
  issue: jiraIssueSchema,
  comment: jiraCommentSchema.nullish(),
  issue_event_type_name: nullableTextSchema,
  // A field named toString would be inherited if it is missing, so the fields are read as entries.
  changelog: z.object({ items: z.array(z.record(z.string(), z.unknown())).nullish() }).nullish(),
  transition: z.object({ from_status: nullableTextSchema, to_status: nullableTextSchema }).nullish(),
});
type JiraIssuePayload = z.output<typeof jiraIssuePayloadSchema>;

const issueTopicTemplate = {
  topic: '{key}: {summary}',
  values: ({ issue: one }: { issue: z.output<typeof jiraIssueSchema> }) => ({
    key: one.key,
    summary: one.fields.summary ?? '',
  }),
};

const formatJiraUserName = (one: z.output<typeof jiraUserSchema> | null | undefined) =>
  formatBold(one?.displayName ?? one?.name ?? 'Jira');

/**
 * Returns a Markdown link to the web page of a Jira issue. The URL is derived from the issue's REST API URL, because
 * payloads contain only that URL.
 */
function createIssueLink({ issue: { key, self, fields } }: { issue: z.output<typeof jiraIssueSchema> }): string {
  const [, base] = /^(https?:\/\/.+?)\/rest\/api\//.exec(self ?? '') ?? [];
  const title = `${key}: ${fields.summary ?? ''}`;
  return base === undefined
    ? toMarkdownLine(title)
    : formatMarkdownLink(title, `${base}/browse/${encodeUrlSegment(key)}`);
}

/**
 * Pattern of a link in Jira markup. No part of the pattern matches an opening bracket, so that a match ends before the
 * next link begins.
 */
const linkPattern = /\[([^[|\]\n]+)\|(https?:\/\/[^[\]\s|]+)(?:[ \t|][^[\]\n]*)?\]/g;

/** Converts Jira markup to Markdown. Markup without an equivalent in Markdown remains unchanged. */
function convertJiraMarkup(source: string): string {
  return source
    .slice(0, 10_000)
    .replaceAll(/\n?\{(?:code|noformat)(?::[^{}\n]*)?\}\n?/g, '\n```\n')
    .replaceAll(/\{\{([^{}\n]+)\}\}/g, '`$1`')
    .replaceAll(linkPattern, (_found, name: string, url: string) => formatMarkdownLink(name, url))
    .replaceAll(/\[~(?:accountid:)?([^[\]\n]+)\]/g, '**$1**')
    .replaceAll(/(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/g, '**$1**');
}

function quoteComment(body: unknown): string {
  return typeof body === 'string' && body.trim() !== '' ? formatBlockQuote(convertJiraMarkup(body)) : '';
}

/**
 * Returns the text of a message about a Jira comment. Some versions of Jira report comments as updates of the issue.
 */
function formatJiraCommentMessage(p: Pick<JiraIssuePayload, 'issue' | 'comment' | 'user'>, verb: string): string {
  const author = p.comment?.updateAuthor ?? p.comment?.author ?? p.user;
  const quoted = quoteComment(p.comment?.body);
  return joinParagraphs(
    `${formatJiraUserName(author)} ${verb} ${createIssueLink(p)}${quoted === '' ? '.' : ':'}`,
    quoted,
  );
}

const commentVerbs: ReadonlyMap<string, string> = new Map([
  ['issue_commented', 'commented on'],
  ['issue_comment_edited', 'edited a comment on'],
  ['issue_comment_deleted', 'deleted a comment on'],
]);

function formatIssueUpdate(p: JiraIssuePayload): string {
  const kind = p.issue_event_type_name ?? '';
  const verb = commentVerbs.get(kind === '' && p.comment ? 'issue_commented' : kind);
  if (verb !== undefined) return formatJiraCommentMessage(p, verb);
  const { transition } = p;
  const moved = transition ? [formatChangeLine('status', transition.from_status, transition.to_status)] : [];
  const items = (p.changelog?.items ?? []).slice(0, maxShownIssueChanges).map((item) => new Map(Object.entries(item)));
  const changed = items.map((item) =>
    formatChangeLine(item.get('field'), item.get('fromString'), item.get('toString')),
  );
  const lines = p.changelog ? changed : moved;
  const assignee = p.issue.fields.assignee ? ` (assigned to ${formatJiraUserName(p.issue.fields.assignee)})` : '';
  return joinParagraphs(
    `${formatJiraUserName(p.user)} updated ${createIssueLink(p)}${assignee}${lines.length === 0 ? '.' : ':'}`,
    formatMarkdownList(lines),
  );
}

/** Maximum number of changed fields of an issue that a message lists. */
const maxShownIssueChanges = 20;

function formatChangeLine(field: unknown, before: unknown, after: unknown): string {
  const shown = (value: unknown) => (typeof value === 'string' ? toMarkdownLine(value) : '') || 'none';
  return shown(before) === shown(after) ? '' : `${formatBold(shown(field))}: ${shown(before)} → ${shown(after)}`;
}

const defineJiraCommentEvent = (verb: string) =>
  defineWebhookEvent({
    payload: z.object({ issue: jiraIssueSchema, comment: jiraCommentSchema, user: jiraUserSchema.nullish() }),
    ...issueTopicTemplate,
    text: (p) => formatJiraCommentMessage(p, verb),
  });

/** Names of the Jira events that create no message. The reference server (Zulip) also ignores these events. */
const jiraEventsWithoutMessage: ReadonlySet<string> = new Set([
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

/** Format of the webhook requests of Jira Cloud and Jira Data Center. */
export const jiraFormat = defineWebhookFormat({
  name: 'jira',
  displayName: 'Jira',
  sender: 'Jira',
  documentation: 'https://developer.atlassian.com/server/jira/platform/webhooks/',
  payload: z.looseObject({ webhookEvent: z.string().optional(), transition: z.unknown().optional() }),
  signature: createBodySignatureCheck('X-Hub-Signature', { prefix: 'sha256=' }),
  escapesUrlTwice: true,
  route({ payload }) {
    const event = payload.webhookEvent ?? (payload.transition ? 'jira:issue_updated' : 'unknown');
    return jiraEventsWithoutMessage.has(event) ? [] : [{ event, payload }];
  },
  events: {
    'jira:issue_created': defineWebhookEvent({
      payload: jiraIssuePayloadSchema,
      ...issueTopicTemplate,
      text: (p) =>
        joinParagraphs(
          `${formatJiraUserName(p.user)} created ${createIssueLink(p)}:`,
          formatMarkdownList([
            `${formatBold('Priority')}: ${toMarkdownLine(p.issue.fields.priority?.name ?? 'none')}`,
            `${formatBold('Assignee')}: ${toMarkdownLine(p.issue.fields.assignee?.displayName ?? 'nobody')}`,
          ]),
        ),
    }),
    'jira:issue_updated': defineWebhookEvent({
      payload: jiraIssuePayloadSchema,
      ...issueTopicTemplate,
      text: formatIssueUpdate,
    }),
    'jira:issue_deleted': defineWebhookEvent({
      payload: jiraIssuePayloadSchema,
      ...issueTopicTemplate,
      text: (p) => `${formatJiraUserName(p.user)} deleted ${createIssueLink(p)}.`,
    }),
    comment_created: defineJiraCommentEvent('commented on'),
    comment_updated: defineJiraCommentEvent('edited a comment on'),
    comment_deleted: defineJiraCommentEvent('deleted a comment on'),
  },
});
