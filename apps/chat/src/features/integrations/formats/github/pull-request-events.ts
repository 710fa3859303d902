import { type z } from 'zod';
import { webhookEvent } from '../../define-webhook-format.js';
import { branchesText, commentAction, itemText } from '../../format-git-messages.js';
import { boldText, singleLine, markdownLink } from '../../format-payload-text.js';
import {
  commentSchema,
  pullRequestTopic,
  personSchema,
  pullRequestItem,
  type PullRequestPayload,
  pullRequestPayload,
  reviewSchema,
  userLink,
} from './github-payload-schemas.js';

/** Defines an event of a GitHub pull request whose message consists of a verb and the link. */
const pullRequestEvent = (verb: (p: PullRequestPayload) => string, details?: (p: PullRequestPayload) => string) =>
  webhookEvent({
    payload: pullRequestPayload,
    ...pullRequestTopic,
    text: (p, context) => itemText({ ...pullRequestItem(p, verb(p)), details: details?.(p) ?? '' }, context),
  });

/** Events of GitHub pull requests, by their names in the reference server. */
export const pullRequestEvents = {
  opened_pull_request: webhookEvent({
    payload: pullRequestPayload,
    ...pullRequestTopic,
    text(p, context) {
      const { head, base, assignee, body } = p.pull_request;
      const assigned = assignee ? ` (assigned to ${userLink(assignee)})` : '';
      const details = branchesText(head.label ?? head.ref, base.label ?? base.ref) + assigned;
      const quoted = p.action === 'opened' ? body : null;
      return itemText({ ...pullRequestItem(p, singleLine(p.action)), details, body: quoted }, context);
    },
  }),
  updated_pull_request: webhookEvent({
    payload: pullRequestPayload,
    ...pullRequestTopic,
    text(p, context) {
      const isTextChanged = p.changes?.body !== undefined;
      const verb = p.action === 'synchronize' ? 'updated' : 'edited';
      return itemText({ ...pullRequestItem(p, verb), body: isTextChanged ? p.pull_request.body : null }, context);
    },
  }),
  closed_pull_request: pullRequestEvent((p) => (p.pull_request.merged === true ? 'merged' : 'closed without merge')),
  assigned_or_unassigned_pull_request: pullRequestEvent((p) =>
    p.action === 'assigned' ? `assigned ${userLink(assigneeOf(p))} to` : `unassigned ${userLink(assigneeOf(p))} from`,
  ),
  pull_request_ready_for_review: pullRequestEvent(
    () => 'marked',
    () => 'as ready for review',
  ),
  pull_request_review_requested: pullRequestEvent(
    (p) =>
      `requested a review from ${p.requested_reviewer ? userLink(p.requested_reviewer) : boldText(p.requested_team?.name)} on`,
  ),
  locked_or_unlocked_pull_request: pullRequestEvent((p) => singleLine(p.action)),
  pull_request_auto_merge: pullRequestEvent((p) =>
    p.action === 'auto_merge_enabled' ? 'enabled auto merge for' : 'disabled auto merge for',
  ),
  pull_request_review: webhookEvent({
    payload: pullRequestPayload.extend({ review: reviewSchema }),
    ...pullRequestTopic,
    text(p, context) {
      const action = `${singleLine(p.action)} ${markdownLink(`a review (${p.review.state.replaceAll('_', ' ')})`, p.review.html_url)} of`;
      return itemText({ ...pullRequestItem(p, action), body: p.review.body }, context);
    },
  }),
  pull_request_review_comment: webhookEvent({
    payload: pullRequestPayload.extend({ comment: commentSchema }),
    ...pullRequestTopic,
    text(p, context) {
      const action = commentAction(p.action, p.comment.html_url);
      return itemText({ ...pullRequestItem(p, action), body: p.comment.body }, context);
    },
  }),
};

function assigneeOf({ assignee, pull_request: request }: PullRequestPayload): z.output<typeof personSchema> {
  return assignee ?? request.assignee ?? { login: 'nobody', html_url: '' };
}
