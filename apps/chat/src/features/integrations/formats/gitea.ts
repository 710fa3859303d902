import { z } from 'zod';
import { defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  branchesFilterOption,
  formatBranches,
  formatCommentAction,
  isSelectedBranch,
  formatGitItemMessage,
  formatPush,
  shortenGitRef,
} from '../format-git-messages.js';
import {
  formatInlineCode,
  toMarkdownLine,
  formatMarkdownLink,
  addFullStop,
  encodeUrlSegment,
} from '../format-payload-text.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';

const nullableTextSchema = z.string().nullish();
const giteaUserSchema = z.object({ login: z.string(), username: nullableTextSchema });
const giteaRepositorySchema = z.object({ name: z.string(), full_name: z.string(), html_url: z.string() });
const commonGiteaFields = { repository: giteaRepositorySchema, sender: giteaUserSchema };

const getSenderName = (p: { sender: z.output<typeof giteaUserSchema> }) => p.sender.username || p.sender.login;

const repositoryTopicTemplate = {
  topic: '{repository}',
  values: (p: { repository: { name: string } }) => ({ repository: p.repository.name }),
};

const giteaIssueSchema = z.object({
  number: z.int(),
  title: z.string(),
  body: nullableTextSchema,
  html_url: nullableTextSchema,
  assignee: giteaUserSchema.nullish(),
  pull_request: z.unknown().optional(),
});

const giteaPullRequestSchema = z.object({
  number: z.int(),
  title: z.string(),
  body: nullableTextSchema,
  html_url: z.string(),
  merged: z.boolean().nullish(),
  assignee: giteaUserSchema.nullish(),
  head: z.object({ ref: z.string() }).nullish(),
  base: z.object({ ref: z.string() }).nullish(),
});

const giteaPullRequestPayloadSchema = z.object({
  ...commonGiteaFields,
  action: z.string(),
  pull_request: giteaPullRequestSchema,
  review: z.object({ content: nullableTextSchema }).nullish(),
});
type GiteaPullRequestPayload = z.output<typeof giteaPullRequestPayloadSchema>;

const pullRequestTopicTemplate = {
  topic: '{repository} / PR #{number} {title}',
  values: (p: GiteaPullRequestPayload) => ({
    repository: p.repository.name,
    number: p.pull_request.number,
    title: p.pull_request.title,
  }),
};

const toPullRequestItem = (p: GiteaPullRequestPayload, action: string) => ({
  user: getSenderName(p),
  action,
  kind: 'PR',
  number: p.pull_request.number,
  title: p.pull_request.title,
  url: p.pull_request.html_url,
});

/** Defines the event of a Gitea pull request review, whose message contains the given verb. */
const defineReviewEvent = (verb: string) =>
  defineWebhookEvent({
    payload: giteaPullRequestPayloadSchema,
    ...pullRequestTopicTemplate,
    text: (p, context) => formatGitItemMessage({ ...toPullRequestItem(p, verb), body: p.review?.content }, context),
  });

const giteaIssuePayloadSchema = z.object({ ...commonGiteaFields, action: z.string(), issue: giteaIssueSchema });
type GiteaIssuePayload = z.output<typeof giteaIssuePayloadSchema>;

const getIssueKind = (p: GiteaIssuePayload) => (p.issue.pull_request ? 'PR' : 'issue');
const issueTopicTemplate = {
  topic: '{repository} / {kind} #{number} {title}',
  values: (p: GiteaIssuePayload) => ({
    repository: p.repository.name,
    kind: getIssueKind(p),
    number: p.issue.number,
    title: p.issue.title,
  }),
};
const toIssueItem = (p: GiteaIssuePayload, action: string) => ({
  user: getSenderName(p),
  action,
  kind: getIssueKind(p),
  number: p.issue.number,
  title: p.issue.title,
  url: p.issue.html_url || `${p.repository.html_url}/issues/${p.issue.number}`,
});

const formatAssignee = (one: z.output<typeof giteaUserSchema> | null | undefined) =>
  one ? `(assigned to ${toMarkdownLine(one.login)})` : '';

/**
 * Verbs in messages about pull requests, by the `action` of the payload, for actions whose name is not suitable as a
 * verb.
 */
const verbByAction: ReadonlyMap<string, string> = new Map([
  ['label_updated', 'changed the labels of'],
  ['label_cleared', 'removed the labels of'],
  ['milestoned', 'set the milestone of'],
  ['demilestoned', 'removed the milestone of'],
  ['review_requested', 'requested a review of'],
  ['review_request_removed', 'withdrew a request to review'],
  ['synchronized', 'updated'],
]);

const getActionVerb = (action: string): string =>
  verbByAction.get(action) ?? toMarkdownLine(action.replaceAll('_', ' '));

const giteaReferencePayloadSchema = z.object({ ...commonGiteaFields, ref: z.string(), ref_type: z.string() });

/** Format of the webhook requests of Gitea and Forgejo. */
export const giteaFormat = defineWebhookFormat({
  name: 'gitea',
  displayName: 'Gitea',
  sender: 'Gitea',
  documentation: 'https://docs.gitea.com/usage/webhooks',
  eventHeader: 'X-Gitea-Event',
  payload: z.looseObject({ ref: z.unknown().optional() }),
  options: branchesFilterOption,
  signature: createBodySignatureCheck('X-Gitea-Signature'),
  route({ payload, header, options: { branches } }) {
    const isPush = header === 'push' && typeof payload.ref === 'string';
    if (isPush && !isSelectedBranch(shortenGitRef(String(payload.ref)), branches)) return [];
    return [{ event: header, payload }];
  },
  events: {
    push: defineWebhookEvent({
      payload: z.object({
        ...commonGiteaFields,
        ref: z.string(),
        compare_url: nullableTextSchema,
        total_commits: z.int().nullish(),
        commits: z
          .array(
            z.object({
              id: z.string(),
              message: z.string(),
              url: z.string(),
              author: z.object({ name: z.string(), username: nullableTextSchema }),
            }),
          )
          .nullish(),
      }),
      topic: '{repository} / {branch}',
      values: (p) => ({ repository: p.repository.name, branch: shortenGitRef(p.ref) }),
      text: (p) =>
        formatPush({
          user: getSenderName(p),
          branch: shortenGitRef(p.ref),
          commits: (p.commits ?? []).map(({ author, ...commit }) => ({
            ...commit,
            author: author.username || author.name,
          })),
          total: Math.max(p.total_commits ?? 0, p.commits?.length ?? 0),
          compareUrl: p.compare_url ?? undefined,
        }),
    }),
    create: defineWebhookEvent({
      payload: giteaReferencePayloadSchema,
      topic: '{repository} / {branch}',
      values: (p) => ({ repository: p.repository.name, branch: shortenGitRef(p.ref) }),
      text: (p) =>
        `${toMarkdownLine(getSenderName(p))} created the ${toMarkdownLine(p.ref_type)} ${formatInlineCode(shortenGitRef(p.ref))}.`,
    }),
    delete: defineWebhookEvent({
      payload: giteaReferencePayloadSchema,
      topic: '{repository} / {branch}',
      values: (p) => ({ repository: p.repository.name, branch: shortenGitRef(p.ref) }),
      text: (p) =>
        `${toMarkdownLine(getSenderName(p))} deleted the ${toMarkdownLine(p.ref_type)} ${formatInlineCode(shortenGitRef(p.ref))}.`,
    }),
    fork: defineWebhookEvent({
      payload: z.object({ ...commonGiteaFields, forkee: giteaRepositorySchema }),
      topic: '{repository}',
      values: (p) => ({ repository: p.forkee.name }),
      text: (p) =>
        `${toMarkdownLine(getSenderName(p))} forked ${formatMarkdownLink(p.forkee.full_name, p.forkee.html_url)} to ${formatMarkdownLink(p.repository.full_name, p.repository.html_url)}.`,
    }),
    issues: defineWebhookEvent({
      payload: giteaIssuePayloadSchema,
      ...issueTopicTemplate,
      text(p, context) {
        const body = p.action === 'opened' || p.action === 'edited' ? p.issue.body : null;
        const verb = getActionVerb(p.action);
        return formatGitItemMessage(
          { ...toIssueItem(p, verb), details: formatAssignee(p.issue.assignee), body },
          context,
        );
      },
    }),
    issue_comment: defineWebhookEvent({
      payload: giteaIssuePayloadSchema.extend({ comment: z.object({ html_url: z.string(), body: z.string() }) }),
      ...issueTopicTemplate,
      text: (p, context) =>
        formatGitItemMessage(
          { ...toIssueItem(p, formatCommentAction(p.action, p.comment.html_url)), body: p.comment.body },
          context,
        ),
    }),
    pull_request: defineWebhookEvent({
      payload: giteaPullRequestPayloadSchema,
      ...pullRequestTopicTemplate,
      text(p, context) {
        const { head, base, merged, assignee, body } = p.pull_request;
        const isOpened = p.action === 'opened';
        const verb = getActionVerb(p.action);
        const branches = head && base ? formatBranches(head.ref, base.ref) : '';
        const details = isOpened ? `${branches} ${formatAssignee(assignee)}`.trim() : '';
        const action = p.action === 'closed' && merged === true ? 'merged' : verb;
        return formatGitItemMessage(
          { ...toPullRequestItem(p, action), details, body: isOpened ? body : null },
          context,
        );
      },
    }),
    pull_request_approved: defineReviewEvent('approved'),
    pull_request_rejected: defineReviewEvent('requested changes to'),
    pull_request_comment: defineReviewEvent('reviewed'),
    release: defineWebhookEvent({
      payload: z.object({
        ...commonGiteaFields,
        action: z.string(),
        release: z.object({ tag_name: z.string(), name: nullableTextSchema, html_url: nullableTextSchema }),
      }),
      topic: '{repository} / {tag} {title}',
      values: (p) => ({ repository: p.repository.name, tag: p.release.tag_name, title: p.release.name }),
      text({ action, release, ...p }) {
        const url = release.html_url || p.repository.html_url;
        const name = formatMarkdownLink(release.name || release.tag_name, url);
        return addFullStop(
          `${toMarkdownLine(getSenderName(p))} ${toMarkdownLine(action)} the release ${name} for the tag ${formatInlineCode(release.tag_name)}`,
        );
      },
    }),
    repository: defineWebhookEvent({
      payload: z.object({ ...commonGiteaFields, action: z.string() }),
      ...repositoryTopicTemplate,
      text: (p) =>
        `${toMarkdownLine(getSenderName(p))} ${toMarkdownLine(p.action)} the repository ${formatMarkdownLink(p.repository.full_name, p.repository.html_url)}.`,
    }),
    wiki: defineWebhookEvent({
      payload: z.object({ ...commonGiteaFields, action: z.string(), page: z.string() }),
      ...repositoryTopicTemplate,
      text(p) {
        const page = formatMarkdownLink(p.page, `${p.repository.html_url}/wiki/${encodeUrlSegment(p.page)}`);
        return `${toMarkdownLine(getSenderName(p))} ${toMarkdownLine(p.action)} the wiki page ${page}.`;
      },
    }),
  },
});
