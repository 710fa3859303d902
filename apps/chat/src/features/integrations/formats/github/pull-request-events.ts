import { type z } from 'zod';
import { defineWebhookEvent } from '../../define-webhook-format.js';
import { formatBranches, formatCommentAction, formatGitItem } from '../../format-git-messages.js';
import { formatBold, toSingleLine, formatMarkdownLink } from '../../format-payload-text.js';
import {
  commentSchema,
  pullRequestTopicTemplate,
  personSchema,
  toPullRequestItem,
  type PullRequestPayload,
  pullRequestPayload,
  reviewSchema,
  createUserLink,
} from './github-payload-schemas.js';

/** Defines an event about a GitHub pull request. The message consists of a verb and the link to the pull request. */
const pullRequestEvent = (verb: (p: PullRequestPayload) => string, details?: (p: PullRequestPayload) => string) =>
  defineWebhookEvent({
    payload: pullRequestPayload,
    ...pullRequestTopicTemplate,
    text: (p, context) => formatGitItem({ ...toPullRequestItem(p, verb(p)), details: details?.(p) ?? '' }, context),
  });

/** Definitions of events about GitHub pull requests, by the event names of the reference server (Zulip). */
export const pullRequestEvents = {
  opened_pull_request: defineWebhookEvent({
    payload: pullRequestPayload,
    ...pullRequestTopicTemplate,
    text(p, context) {
      const { head, base, assignee, body } = p.pull_request;
      const assigned = assignee ? ` (assigned to ${createUserLink(assignee)})` : '';
      const details = formatBranches(head.label ?? head.ref, base.label ?? base.ref) + assigned;
      const quoted = p.action === 'opened' ? body : null;
      return formatGitItem({ ...toPullRequestItem(p, toSingleLine(p.action)), details, body: quoted }, context);
    },
  }),
  updated_pull_request: defineWebhookEvent({
    payload: pullRequestPayload,
    ...pullRequestTopicTemplate,
    text(p, context) {
      const isTextChanged = p.changes?.body !== undefined;
      const verb = p.action === 'synchronize' ? 'updated' : 'edited';
      return formatGitItem(
        { ...toPullRequestItem(p, verb), body: isTextChanged ? p.pull_request.body : null },
        context,
      );
    },
  }),
  closed_pull_request: pullRequestEvent((p) => (p.pull_request.merged === true ? 'merged' : 'closed without merge')),
  assigned_or_unassigned_pull_request: pullRequestEvent((p) =>
    p.action === 'assigned'
      ? `assigned ${createUserLink(getAssigneeText(p))} to`
      : `unassigned ${createUserLink(getAssigneeText(p))} from`,
  ),
  pull_request_ready_for_review: pullRequestEvent(
    () => 'marked',
    () => 'as ready for review',
  ),
  pull_request_review_requested: pullRequestEvent(
    (p) =>
      `requested a review from ${p.requested_reviewer ? createUserLink(p.requested_reviewer) : formatBold(p.requested_team?.name)} on`,
  ),
  locked_or_unlocked_pull_request: pullRequestEvent((p) => toSingleLine(p.action)),
  pull_request_auto_merge: pullRequestEvent((p) =>
    p.action === 'auto_merge_enabled' ? 'enabled auto merge for' : 'disabled auto merge for',
  ),
  pull_request_review: defineWebhookEvent({
    payload: pullRequestPayload.extend({ review: reviewSchema }),
    ...pullRequestTopicTemplate,
    text(p, context) {
      const action = `${toSingleLine(p.action)} ${formatMarkdownLink(`a review (${p.review.state.replaceAll('_', ' ')})`, p.review.html_url)} of`;
      return formatGitItem({ ...toPullRequestItem(p, action), body: p.review.body }, context);
    },
  }),
  pull_request_review_comment: defineWebhookEvent({
    payload: pullRequestPayload.extend({ comment: commentSchema }),
    ...pullRequestTopicTemplate,
    text(p, context) {
      const action = formatCommentAction(p.action, p.comment.html_url);
      return formatGitItem({ ...toPullRequestItem(p, action), body: p.comment.body }, context);
    },
  }),
};

function getAssigneeText({ assignee, pull_request: request }: PullRequestPayload): z.output<typeof personSchema> {
  return assignee ?? request.assignee ?? { login: 'nobody', html_url: '' };
}
