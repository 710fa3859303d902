import { z } from 'zod';
import { defineWebhookEvent } from '../../define-webhook-format.js';
import { formatCommentAction, formatGitItemMessage } from '../../format-git-messages.js';
import { formatBold, formatInlineCode, toMarkdownLine, formatMarkdownLink } from '../../format-payload-text.js';
import {
  githubCommentSchema,
  commonGithubFields,
  discussionSchema,
  toIssueItem,
  githubIssuePayloadSchema,
  discussionTopicTemplate,
  issueTopicTemplate,
  githubRepositorySchema,
  createUserLink,
} from './github-payload-schemas.js';

/** Definitions of events about GitHub issues, by the event names of the reference server (Zulip). */
export const githubIssueEvents = {
  issues: defineWebhookEvent({
    payload: githubIssuePayloadSchema,
    ...issueTopicTemplate,
    text(p, context) {
      const isAssignment = p.action === 'assigned' || p.action === 'unassigned';
      const assignee =
        isAssignment && p.assignee ? `${createUserLink(p.assignee)} ${p.action === 'assigned' ? 'to' : 'from'}` : '';
      const body = p.action === 'opened' || p.action === 'edited' ? p.issue.body : null;
      return formatGitItemMessage(
        { ...toIssueItem(p, `${toMarkdownLine(p.action)} ${assignee}`.trim()), body },
        context,
      );
    },
  }),
  issue_comment: defineWebhookEvent({
    payload: githubIssuePayloadSchema.extend({ comment: githubCommentSchema }),
    ...issueTopicTemplate,
    text: (p, context) =>
      formatGitItemMessage(
        { ...toIssueItem(p, formatCommentAction(p.action, p.comment.html_url)), body: p.comment.body },
        context,
      ),
  }),
  issue_labeled_or_unlabeled: defineWebhookEvent({
    payload: githubIssuePayloadSchema,
    ...issueTopicTemplate,
    text(p, context) {
      const [verb, to] = p.action === 'labeled' ? ['added', 'to'] : ['removed', 'from'];
      return formatGitItemMessage(
        toIssueItem(p, `${verb} the label ${formatInlineCode(p.label?.name)} ${to}`),
        context,
      );
    },
  }),
  issue_milestoned_or_demilestoned: defineWebhookEvent({
    payload: githubIssuePayloadSchema,
    ...issueTopicTemplate,
    text(p, context) {
      const [verb, to] = p.action === 'milestoned' ? ['added', 'to'] : ['removed', 'from'];
      const milestone = formatMarkdownLink(p.milestone?.title, p.milestone?.html_url);
      return formatGitItemMessage(toIssueItem(p, `${verb} the milestone ${milestone} ${to}`), context);
    },
  }),
  issues_opened_via_transfer: defineWebhookEvent({
    payload: githubIssuePayloadSchema.extend({
      changes: z.object({
        old_issue: z.object({ number: z.int(), html_url: z.string() }),
        old_repository: githubRepositorySchema,
      }),
    }),
    ...issueTopicTemplate,
    text(p, context) {
      const { old_issue: formerIssue, old_repository: former } = p.changes;
      const details = `from ${formatMarkdownLink(`${former.full_name}#${formerIssue.number}`, formerIssue.html_url)}`;
      return formatGitItemMessage({ ...toIssueItem(p, 'transferred'), details }, context);
    },
  }),
  issues_transferred: defineWebhookEvent({
    payload: githubIssuePayloadSchema.extend({
      changes: z.object({
        new_issue: z.object({ number: z.int(), html_url: z.string() }),
        new_repository: githubRepositorySchema,
      }),
    }),
    ...issueTopicTemplate,
    text(p, context) {
      const { new_issue: issueThere, new_repository: there } = p.changes;
      const details = `to ${formatMarkdownLink(`${there.full_name}#${issueThere.number}`, issueThere.html_url)}`;
      return formatGitItemMessage({ ...toIssueItem(p, 'transferred'), details }, context);
    },
  }),
};

/** Definitions of events about GitHub discussions, by name of the event. */
export const githubDiscussionEvents = {
  discussion: defineWebhookEvent({
    payload: z.object({ ...commonGithubFields, discussion: discussionSchema }),
    ...discussionTopicTemplate,
    text(p, context) {
      const { discussion: item, sender, action } = p;
      const details = `in ${formatBold(item.category.name)}`;
      const body = action === 'created' || action === 'edited' ? item.body : null;
      return formatGitItemMessage(
        {
          user: sender.login,
          action: toMarkdownLine(action),
          kind: 'discussion',
          ...item,
          url: item.html_url,
          details,
          body,
        },
        context,
      );
    },
  }),
  discussion_comment: defineWebhookEvent({
    payload: z.object({ ...commonGithubFields, discussion: discussionSchema, comment: githubCommentSchema }),
    ...discussionTopicTemplate,
    text(p, context) {
      const action = formatCommentAction(p.action, p.comment.html_url);
      const { number, title, html_url: url } = p.discussion;
      const item = { user: p.sender.login, action, kind: 'discussion', number, title, url };
      return formatGitItemMessage({ ...item, body: p.comment.body }, context);
    },
  }),
};
