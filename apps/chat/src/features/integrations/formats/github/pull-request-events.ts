import { type z } from 'zod';
import { defineWebhookEvent } from '../../define-webhook-format.js';
import { formatBranches, formatCommentAction, formatGitItemMessage } from '../../format-git-messages.js';
import { formatBold, toMarkdownLine, formatMarkdownLink } from '../../format-payload-text.js';
import {
  githubCommentSchema,
  pullRequestTopicTemplate,
  githubUserSchema,
  toPullRequestItem,
  type GithubPullRequestPayload,
  githubPullRequestPayloadSchema,
  githubReviewSchema,
  createUserLink,
} from './github-payload-schemas.js';

/** Defines an event about a GitHub pull request. The message consists of a verb and the link to the pull request. */
const defineGithubPullRequestEvent = (
  verb: (p: GithubPullRequestPayload) => string,
  details?: (p: GithubPullRequestPayload) => string,
) =>
  defineWebhookEvent({
    payload: githubPullRequestPayloadSchema,
    ...pullRequestTopicTemplate,
    text: (p, context) =>
      formatGitItemMessage({ ...toPullRequestItem(p, verb(p)), details: details?.(p) ?? '' }, context),
  });

/** Definitions of events about GitHub pull requests, by the event names of the reference server (Zulip). */
export const githubPullRequestEvents = {
  opened_pull_request: defineWebhookEvent({
    payload: githubPullRequestPayloadSchema,
    ...pullRequestTopicTemplate,
    text(p, context) {
      const { head, base, assignee, body } = p.pull_request;
      const assigned = assignee ? ` (assigned to ${createUserLink(assignee)})` : '';
      const details = formatBranches(head.label ?? head.ref, base.label ?? base.ref) + assigned;
      const quoted = p.action === 'opened' ? body : null;
      return formatGitItemMessage(
        { ...toPullRequestItem(p, toMarkdownLine(p.action)), details, body: quoted },
        context,
      );
    },
  }),
  updated_pull_request: defineWebhookEvent({
    payload: githubPullRequestPayloadSchema,
    ...pullRequestTopicTemplate,
    text(p, context) {
      const isTextChanged = p.changes?.body !== undefined;
      const verb = p.action === 'synchronize' ? 'updated' : 'edited';
      return formatGitItemMessage(
        { ...toPullRequestItem(p, verb), body: isTextChanged ? p.pull_request.body : null },
        context,
      );
    },
  }),
  closed_pull_request: defineGithubPullRequestEvent((p) =>
    p.pull_request.merged === true ? 'merged' : 'closed without merge',
  ),
  assigned_or_unassigned_pull_request: defineGithubPullRequestEvent((p) =>
    p.action === 'assigned'
      ? `assigned ${createUserLink(getPullRequestAssigneeValues(p))} to`
      : `unassigned ${createUserLink(getPullRequestAssigneeValues(p))} from`,
  ),
  pull_request_ready_for_review: defineGithubPullRequestEvent(
    () => 'marked',
    () => 'as ready for review',
  ),
  pull_request_review_requested: defineGithubPullRequestEvent(
    (p) =>
      `requested a review from ${p.requested_reviewer ? createUserLink(p.requested_reviewer) : formatBold(p.requested_team?.name)} on`,
  ),
  locked_or_unlocked_pull_request: defineGithubPullRequestEvent((p) => toMarkdownLine(p.action)),
  pull_request_auto_merge: defineGithubPullRequestEvent((p) =>
    p.action === 'auto_merge_enabled' ? 'enabled auto merge for' : 'disabled auto merge for',
  ),
  pull_request_review: defineWebhookEvent({
    payload: githubPullRequestPayloadSchema.extend({ review: githubReviewSchema }),
    ...pullRequestTopicTemplate,
    text(p, context) {
      const action = `${toMarkdownLine(p.action)} ${formatMarkdownLink(`a review (${p.review.state.replaceAll('_', ' ')})`, p.review.html_url)} of`;
      return formatGitItemMessage({ ...toPullRequestItem(p, action), body: p.review.body }, context);
    },
  }),
  pull_request_review_comment: defineWebhookEvent({
    payload: githubPullRequestPayloadSchema.extend({ comment: githubCommentSchema }),
    ...pullRequestTopicTemplate,
    text(p, context) {
      const action = formatCommentAction(p.action, p.comment.html_url);
      return formatGitItemMessage({ ...toPullRequestItem(p, action), body: p.comment.body }, context);
    },
  }),
};

function getPullRequestAssigneeValues({
  assignee,
  pull_request: request,
}: GithubPullRequestPayload): z.output<typeof githubUserSchema> {
  return assignee ?? request.assignee ?? { login: 'nobody', html_url: '' };
}
