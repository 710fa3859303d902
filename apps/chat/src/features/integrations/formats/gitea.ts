import { z } from 'zod';
import { defineWebhookFormat, webhookEvent } from '../define-webhook-format.js';
import {
  branchesOption,
  branchesText,
  commentAction,
  isSelectedBranch,
  itemText,
  pushText,
  shortRef,
} from '../format-git-messages.js';
import { inlineCode, singleLine, markdownLink, withFullStop, urlSegment } from '../format-payload-text.js';
import { bodySignature } from '../check-webhook-signatures.js';

const textSchema = z.string().nullish();
const personSchema = z.object({ login: z.string(), username: textSchema });
const repositorySchema = z.object({ name: z.string(), full_name: z.string(), html_url: z.string() });
const commonFields = { repository: repositorySchema, sender: personSchema };

const senderName = (p: { sender: z.output<typeof personSchema> }) => p.sender.username || p.sender.login;

const repositoryTopic = {
  topic: '{repository}',
  values: (p: { repository: { name: string } }) => ({ repository: p.repository.name }),
};

const issueSchema = z.object({
  number: z.int(),
  title: z.string(),
  body: textSchema,
  html_url: textSchema,
  assignee: personSchema.nullish(),
  pull_request: z.unknown().optional(),
});

const pullRequest = z.object({
  number: z.int(),
  title: z.string(),
  body: textSchema,
  html_url: z.string(),
  merged: z.boolean().nullish(),
  assignee: personSchema.nullish(),
  head: z.object({ ref: z.string() }).nullish(),
  base: z.object({ ref: z.string() }).nullish(),
});

const pullRequestPayload = z.object({
  ...commonFields,
  action: z.string(),
  pull_request: pullRequest,
  review: z.object({ content: textSchema }).nullish(),
});
type PullRequestPayload = z.output<typeof pullRequestPayload>;

const pullRequestTopic = {
  topic: '{repository} / PR #{number} {title}',
  values: (p: PullRequestPayload) => ({
    repository: p.repository.name,
    number: p.pull_request.number,
    title: p.pull_request.title,
  }),
};

const pullRequestItem = (p: PullRequestPayload, action: string) => ({
  user: senderName(p),
  action,
  kind: 'PR',
  number: p.pull_request.number,
  title: p.pull_request.title,
  url: p.pull_request.html_url,
});

/** Defines the event of a review of a pull request. */
const reviewEvent = (verb: string) =>
  webhookEvent({
    payload: pullRequestPayload,
    ...pullRequestTopic,
    text: (p, context) => itemText({ ...pullRequestItem(p, verb), body: p.review?.content }, context),
  });

const issuePayload = z.object({ ...commonFields, action: z.string(), issue: issueSchema });
type IssuePayload = z.output<typeof issuePayload>;

const issueKind = (p: IssuePayload) => (p.issue.pull_request ? 'PR' : 'issue');
const issueTopic = {
  topic: '{repository} / {kind} #{number} {title}',
  values: (p: IssuePayload) => ({
    repository: p.repository.name,
    kind: issueKind(p),
    number: p.issue.number,
    title: p.issue.title,
  }),
};
const issueItem = (p: IssuePayload, action: string) => ({
  user: senderName(p),
  action,
  kind: issueKind(p),
  number: p.issue.number,
  title: p.issue.title,
  url: p.issue.html_url || `${p.repository.html_url}/issues/${p.issue.number}`,
});

const assigneeText = (one: z.output<typeof personSchema> | null | undefined) =>
  one ? `(assigned to ${singleLine(one.login)})` : '';

/** Action verbs of pull request events that cannot be taken from the payload's `action`. */
const verbByAction: ReadonlyMap<string, string> = new Map([
  ['label_updated', 'changed the labels of'],
  ['label_cleared', 'removed the labels of'],
  ['milestoned', 'set the milestone of'],
  ['demilestoned', 'removed the milestone of'],
  ['review_requested', 'requested a review of'],
  ['review_request_removed', 'withdrew a request to review'],
  ['synchronized', 'updated'],
]);

const actionVerb = (action: string): string => verbByAction.get(action) ?? singleLine(action.replaceAll('_', ' '));

const referenceSchema = z.object({ ...commonFields, ref: z.string(), ref_type: z.string() });

/** Format of the webhooks of Gitea and Forgejo. */
export const gitea = defineWebhookFormat({
  name: 'gitea',
  displayName: 'Gitea',
  sender: 'Gitea',
  documentation: 'https://docs.gitea.com/usage/webhooks',
  eventHeader: 'X-Gitea-Event',
  payload: z.looseObject({ ref: z.unknown().optional() }),
  options: branchesOption,
  signature: bodySignature('X-Gitea-Signature'),
  route({ payload, header, options: { branches } }) {
    const isPush = header === 'push' && typeof payload.ref === 'string';
    if (isPush && !isSelectedBranch(shortRef(String(payload.ref)), branches)) return [];
    return [{ event: header, payload }];
  },
  events: {
    push: webhookEvent({
      payload: z.object({
        ...commonFields,
        ref: z.string(),
        compare_url: textSchema,
        total_commits: z.int().nullish(),
        commits: z
          .array(
            z.object({
              id: z.string(),
              message: z.string(),
              url: z.string(),
              author: z.object({ name: z.string(), username: textSchema }),
            }),
          )
          .nullish(),
      }),
      topic: '{repository} / {branch}',
      values: (p) => ({ repository: p.repository.name, branch: shortRef(p.ref) }),
      text: (p) =>
        pushText({
          user: senderName(p),
          branch: shortRef(p.ref),
          commits: (p.commits ?? []).map(({ author, ...commit }) => ({
            ...commit,
            author: author.username || author.name,
          })),
          total: Math.max(p.total_commits ?? 0, p.commits?.length ?? 0),
          compareUrl: p.compare_url ?? undefined,
        }),
    }),
    create: webhookEvent({
      payload: referenceSchema,
      topic: '{repository} / {branch}',
      values: (p) => ({ repository: p.repository.name, branch: shortRef(p.ref) }),
      text: (p) => `${singleLine(senderName(p))} created the ${singleLine(p.ref_type)} ${inlineCode(shortRef(p.ref))}.`,
    }),
    delete: webhookEvent({
      payload: referenceSchema,
      topic: '{repository} / {branch}',
      values: (p) => ({ repository: p.repository.name, branch: shortRef(p.ref) }),
      text: (p) => `${singleLine(senderName(p))} deleted the ${singleLine(p.ref_type)} ${inlineCode(shortRef(p.ref))}.`,
    }),
    fork: webhookEvent({
      payload: z.object({ ...commonFields, forkee: repositorySchema }),
      topic: '{repository}',
      values: (p) => ({ repository: p.forkee.name }),
      text: (p) =>
        `${singleLine(senderName(p))} forked ${markdownLink(p.forkee.full_name, p.forkee.html_url)} to ${markdownLink(p.repository.full_name, p.repository.html_url)}.`,
    }),
    issues: webhookEvent({
      payload: issuePayload,
      ...issueTopic,
      text(p, context) {
        const body = p.action === 'opened' || p.action === 'edited' ? p.issue.body : null;
        const verb = actionVerb(p.action);
        return itemText({ ...issueItem(p, verb), details: assigneeText(p.issue.assignee), body }, context);
      },
    }),
    issue_comment: webhookEvent({
      payload: issuePayload.extend({ comment: z.object({ html_url: z.string(), body: z.string() }) }),
      ...issueTopic,
      text: (p, context) =>
        itemText({ ...issueItem(p, commentAction(p.action, p.comment.html_url)), body: p.comment.body }, context),
    }),
    pull_request: webhookEvent({
      payload: pullRequestPayload,
      ...pullRequestTopic,
      text(p, context) {
        const { head, base, merged, assignee, body } = p.pull_request;
        const isOpened = p.action === 'opened';
        const verb = actionVerb(p.action);
        const branches = head && base ? branchesText(head.ref, base.ref) : '';
        const details = isOpened ? `${branches} ${assigneeText(assignee)}`.trim() : '';
        const action = p.action === 'closed' && merged === true ? 'merged' : verb;
        return itemText({ ...pullRequestItem(p, action), details, body: isOpened ? body : null }, context);
      },
    }),
    pull_request_approved: reviewEvent('approved'),
    pull_request_rejected: reviewEvent('requested changes to'),
    pull_request_comment: reviewEvent('reviewed'),
    release: webhookEvent({
      payload: z.object({
        ...commonFields,
        action: z.string(),
        release: z.object({ tag_name: z.string(), name: textSchema, html_url: textSchema }),
      }),
      topic: '{repository} / {tag} {title}',
      values: (p) => ({ repository: p.repository.name, tag: p.release.tag_name, title: p.release.name }),
      text({ action, release, ...p }) {
        const url = release.html_url || p.repository.html_url;
        const name = markdownLink(release.name || release.tag_name, url);
        return withFullStop(
          `${singleLine(senderName(p))} ${singleLine(action)} the release ${name} for the tag ${inlineCode(release.tag_name)}`,
        );
      },
    }),
    repository: webhookEvent({
      payload: z.object({ ...commonFields, action: z.string() }),
      ...repositoryTopic,
      text: (p) =>
        `${singleLine(senderName(p))} ${singleLine(p.action)} the repository ${markdownLink(p.repository.full_name, p.repository.html_url)}.`,
    }),
    wiki: webhookEvent({
      payload: z.object({ ...commonFields, action: z.string(), page: z.string() }),
      ...repositoryTopic,
      text(p) {
        const page = markdownLink(p.page, `${p.repository.html_url}/wiki/${urlSegment(p.page)}`);
        return `${singleLine(senderName(p))} ${singleLine(p.action)} the wiki page ${page}.`;
      },
    }),
  },
});
